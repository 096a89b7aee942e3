"""Leases: who gets which job, and what holders do with it."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from tenure_server.domain import errors
from tenure_server.domain.clock import Clock
from tenure_server.domain.command import Acquire, Command, Move, Release
from tenure_server.domain.lease_rules import EmptyReason
from tenure_server.service.caller import Caller
from tenure_server.service.calls import AcquireCall, AcquireOutcome, Call, Grant, JobCall, JobOutcome, Reply
from tenure_server.service.flusher import Flusher
from tenure_server.service.wakeups import Waiter, Wakeups, queue_topic
from tenure_server.store import jobs, keys, queues
from tenure_server.store.database import Database

POLL_AFTER = timedelta(seconds=1)


class AcquireAnswer(NamedTuple):
    """What was granted, or why nothing was and when to ask again.

    `waited` is how long the call had rested at least when the leases began.
    """

    outcome: AcquireOutcome
    poll_after: timedelta | None = None
    waited: timedelta = timedelta(0)


class Leases:
    """Grants leases and carries out what their holders ask."""

    def __init__(self, database: Database, flusher: Flusher, wakeups: Wakeups, clock: Clock) -> None:
        self._database = database
        self._flusher = flusher
        self._wakeups = wakeups
        self._clock = clock
        self._background: set[asyncio.Task[None]] = set()

    async def acquire(
        self, caller: Caller, asked: Acquire, *, wait: timedelta, request_id: str = ""
    ) -> AcquireAnswer:
        """Lease up to `asked.max_leases` jobs, waiting for the first one up to `wait`."""
        names = await self._queues_of(caller, asked)
        if not names:
            raise errors.JobNotFound(asked.job_id)
        waited = 0.0
        if not wait:
            outcome = await self._ask(caller, asked, names, request_id)
        elif self._wakeups.draining:
            raise errors.ServerDraining
        else:
            topics = [queue_topic(caller.scope, name) for name in names]
            with self._wakeups.waiter(topics) as waiter:
                outcome, waited = await self._ask_until(caller, asked, names, request_id, waiter, wait)
        if outcome.grants:
            return AcquireAnswer(outcome, waited=timedelta(seconds=waited))
        return await self._explain(caller, asked, names, outcome)

    async def _ask_until(
        self,
        caller: Caller,
        asked: Acquire,
        names: tuple[str, ...],
        request_id: str,
        waiter: Waiter,
        wait: timedelta,
    ) -> tuple[AcquireOutcome, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            waited = loop.time() - began
            outcome = await self._ask(caller, asked, names, request_id)
            if outcome.grants:
                self._wakeups.found(waiter)
            if outcome.grants or outcome.replayed or outcome.reason is EmptyReason.TERMINAL:
                return outcome, 0.0 if outcome.replayed else waited
            if self._wakeups.draining:
                return outcome._replace(reason=EmptyReason.SERVER_DRAINING), waited
            left = began + wait.total_seconds() - loop.time()
            if left <= 0 or not await self._sleep(waiter, left, by_id=asked.job_id is not None):
                return outcome, waited

    async def _sleep(self, waiter: Waiter, left: float, *, by_id: bool) -> bool:
        """Sleep until there may be something; a job asked for by id is looked at every second."""
        if not by_id:
            return await waiter.sleep(left)
        await waiter.sleep(min(left, POLL_AFTER.total_seconds()))
        return left > POLL_AFTER.total_seconds()

    async def _ask(
        self, caller: Caller, asked: Acquire, names: tuple[str, ...], request_id: str
    ) -> AcquireOutcome:
        call = AcquireCall(caller.scope, caller.deadline, asked, names, request_id)
        reply = self._flusher.send([call])
        try:
            outcome = (await asyncio.shield(reply.future))[0]
        except asyncio.CancelledError:
            self._when_done(reply, caller.scope, request_id)
            raise
        if isinstance(outcome, Exception):
            raise outcome
        assert isinstance(outcome, AcquireOutcome)
        await self._release(caller.scope, "", outcome.surplus)
        return outcome

    def _when_done(self, reply: Reply, scope: str, request_id: str) -> None:
        """Nobody waits for these grants any more: free the jobs at once, not after a whole lease."""

        def hand_back(done: asyncio.Future[list[Any]]) -> None:
            outcome = done.result()[-1]
            if not isinstance(outcome, AcquireOutcome) or not outcome.grants or outcome.replayed:
                return
            grants = [*outcome.grants, *outcome.surplus]
            task = done.get_loop().create_task(self._release(scope, request_id, grants))
            self._background.add(task)
            task.add_done_callback(self._background.discard)

        reply.future.add_done_callback(hand_back)

    async def _release(self, scope: str, request_id: str, grants: Sequence[Grant]) -> None:
        if not grants:
            return
        deadline = asyncio.get_running_loop().time() + 5
        releases = [JobCall(scope, deadline, grant.job.id, Release(grant.token)) for grant in grants]
        await self._flusher.submit(releases)
        if request_id:
            async with self._database.read() as tx:
                await keys.forget_outcome(tx, scope, request_id)
                await tx.settle()

    async def _queues_of(self, caller: Caller, asked: Acquire) -> tuple[str, ...]:
        """The queues asked for, or that of the job named; none when there is no such job."""
        if asked.job_id is None:
            return asked.queues
        async with self._database.read() as tx:
            cursor = await jobs.find_queue(tx, caller.scope, asked.job_id)
            row = await cursor.fetchone()
        return () if row is None else row

    async def _explain(
        self, caller: Caller, asked: Acquire, names: tuple[str, ...], outcome: AcquireOutcome
    ) -> AcquireAnswer:
        """Say why nothing was granted, and when asking again makes sense."""
        if outcome.reason is not None:
            return AcquireAnswer(outcome, POLL_AFTER)
        async with self._database.read() as tx:
            cursor = await queues.read_outlook(tx, caller.scope, list(names), self._clock.pinned)
            outlook = await cursor.fetchone()
        if outlook is not None and outlook.ready and (asked.kinds or asked.states or asked.labels):
            return AcquireAnswer(outcome._replace(reason=EmptyReason.NO_MATCH), POLL_AFTER)
        if outlook is not None and outlook.next_time is not None:
            later = _until(outlook.next_time, outlook.at)
            return AcquireAnswer(outcome._replace(reason=EmptyReason.SCHEDULED_LATER), later)
        return AcquireAnswer(outcome._replace(reason=EmptyReason.NO_JOBS), POLL_AFTER)

    async def act(
        self, caller: Caller, commands: Sequence[tuple[UUID, Command]], *, wants_job: bool = False
    ) -> list[JobOutcome | Exception]:
        """Carry out holders' commands, each on its own terms."""
        calls = [
            JobCall(caller.scope, caller.deadline, job_id, command, wants_job) for job_id, command in commands
        ]
        return await self._flusher.submit(calls)

    async def move(
        self,
        caller: Caller,
        moves: Sequence[tuple[UUID, Move]],
        acquire_next: Acquire | None,
        *,
        request_id: str = "",
        wants_job: bool = False,
    ) -> tuple[list[JobOutcome | Exception], Sequence[Grant]]:
        """Carry out moves, and lease the caller's next jobs in the same flush.

        `request_id` is that of `acquire_next`: the same one again leads to the same leases.
        """
        calls: list[Call] = [
            JobCall(caller.scope, caller.deadline, job_id, command, wants_job) for job_id, command in moves
        ]
        names = () if acquire_next is None else await self._queues_of(caller, acquire_next)
        if acquire_next is None or not names:
            return await self._flusher.submit(calls), ()
        calls.append(AcquireCall(caller.scope, caller.deadline, acquire_next, names, request_id))
        reply = self._flusher.send(calls)
        try:
            *moved, granted = await asyncio.shield(reply.future)
        except asyncio.CancelledError:
            self._when_done(reply, caller.scope, request_id)
            raise
        if not isinstance(granted, AcquireOutcome):
            return moved, ()
        await self._release(caller.scope, "", granted.surplus)
        return moved, granted.grants


def _until(time: datetime, at: datetime) -> timedelta:
    return max(time - at, timedelta(milliseconds=10))
