"""Watching a scope's history as it is written, without gaps."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import NamedTuple
from uuid import UUID

from tenure_server.domain.errors import ServerDraining, WatchPositionTooOld
from tenure_server.service.caller import Caller
from tenure_server.service.wakeups import Waiter, Wakeups, history_topic
from tenure_server.store import events
from tenure_server.store.database import Database
from tenure_server.store.events import StoredEvent, WatchEdge, WatchPosition

PAGE = 500
SIGN_OF_LIFE = 15.0
LONGEST = 30 * 60.0
SETTLING = 0.01
LAST_JOB = UUID(int=2**128 - 1)


class Seen(NamedTuple):
    """One event, or a sign of life, and the place to resume from."""

    event: StoredEvent | None
    position: WatchPosition


class Watching:
    """Streams history; readers pull it, so that nothing gathers for a slow one."""

    def __init__(self, database: Database, wakeups: Wakeups) -> None:
        self._database = database
        self._wakeups = wakeups

    async def watch(
        self, caller: Caller, after: WatchPosition | None, job_id: UUID | None, queue: str | None
    ) -> AsyncIterator[Seen]:
        """What happens after a position, or from now; ends after about half an hour.

        Raises WatchPositionTooOld when history after the position was pruned.
        """
        if self._wakeups.draining:
            raise ServerDraining
        loop = asyncio.get_running_loop()
        ends = loop.time() + LONGEST * random.uniform(0.9, 1.0)
        with self._wakeups.waiter([history_topic(caller.scope)]) as waiter:
            position = await self._start(caller.scope, after)
            yield Seen(None, position)
            while loop.time() < ends and not self._wakeups.draining:
                edge, found = await self._read(caller.scope, position, job_id, queue)
                for event in found:
                    position = WatchPosition(event.position, event.job_id, event.version, event.step)
                    yield Seen(event, position)
                if len(found) == PAGE:
                    continue
                position = max(position, _end_of(edge.newest))
                if not await self._sleep(waiter):
                    yield Seen(None, position)

    async def _start(self, scope: str, after: WatchPosition | None) -> WatchPosition:
        async with self._database.read() as tx:
            cursor = await events.read_watch_edge(tx, scope)
            edge = await cursor.fetchone()
        assert edge is not None
        if after is None:
            return _end_of(edge.newest)
        if after.position < edge.oldest:
            raise WatchPositionTooOld
        return after

    async def _read(
        self, scope: str, position: WatchPosition, job_id: UUID | None, queue: str | None
    ) -> tuple[WatchEdge, list[StoredEvent]]:
        async with self._database.read() as tx:
            # The edge first: what is final by then is in the page that is read after it.
            asked = await events.read_watch_edge(tx, scope)
            cursor = await events.watch_events(tx, scope, position, job_id, queue, PAGE)
            await tx.settle()
            edge, found = await asked.fetchone(), await cursor.fetchall()
        assert edge is not None
        if position.position < edge.oldest:
            raise WatchPositionTooOld
        return edge, found

    async def _sleep(self, waiter: Waiter) -> bool:
        """Sleep until something was committed; it may take a moment until its place is final."""
        woken = await waiter.sleep(SIGN_OF_LIFE)
        if woken:
            await asyncio.sleep(SETTLING)
        return woken


def _end_of(position: int) -> WatchPosition:
    """Behind everything that has this position."""
    return WatchPosition(position, LAST_JOB, 2**62, 2**30)
