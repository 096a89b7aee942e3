"""Removes what nobody needs any more: jobs that ended long ago, request ids nobody repeats."""

from collections import defaultdict
from datetime import datetime, timedelta
from uuid import UUID

from tenure_server.domain.clock import Clock
from tenure_server.store import heads, keys, sweeps
from tenure_server.store.database import Database

SCANNED = 2000
REMOVED = 500
BEGINNING = ("", UUID(int=0))


class JobPruner:
    """Walks all jobs in key order, a bounded step at a time, and removes what ended before the cutoff.

    With a retention of zero everything is kept. Pinned jobs are kept in any case.
    """

    def __init__(self, database: Database, clock: Clock, retention: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._retention = retention
        self._after = BEGINNING

    async def run_once(self) -> int:
        """Walk one step; returns how many jobs it came by."""
        if not self._retention:
            return 0
        async with self._database.read() as tx:
            clock = await (await heads.read_clock(tx, self._clock.pinned)).fetchone()
            assert clock is not None
            cutoff = clock[0] - self._retention
            cursor = await sweeps.scan_for_pruning(tx, self._after, cutoff, SCANNED)
            seen = await cursor.fetchall()
        self._after = (seen[-1].scope, seen[-1].id) if len(seen) == SCANNED else BEGINNING
        by_scope: dict[str, list[UUID]] = defaultdict(list)
        for found in seen:
            if found.prunable:
                by_scope[found.scope].append(found.id)
        for scope, ids in by_scope.items():
            for start in range(0, len(ids), REMOVED):
                await self._remove(scope, ids[start : start + REMOVED], cutoff)
        return len(seen)

    async def _remove(self, scope: str, ids: list[UUID], cutoff: datetime) -> None:
        async with self._database.write() as tx:
            cursor = await sweeps.lock_prunable(tx, scope, ids, cutoff)
            locked = [row[0] for row in await cursor.fetchall()]
            if locked:
                await sweeps.remove_jobs(tx, scope, locked)
                await tx.settle()


class RequestIdPruner:
    """Forgets request ids after a while."""

    def __init__(self, database: Database, clock: Clock, age: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._age = age

    async def run_once(self) -> int:
        """Forget one page; returns its size."""
        async with self._database.read() as tx:
            cursor = await keys.prune_outcomes(tx, age=self._age, now=self._clock.pinned, limit=REMOVED)
            await tx.settle()
            return max(cursor.rowcount, 0)
