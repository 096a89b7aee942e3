"""Sweeps that find jobs whose time has come and hand each to the flusher to be judged again."""

import asyncio
import logging
from datetime import UTC, datetime
from typing import LiteralString
from uuid import UUID

from tenure_server.domain.clock import Clock
from tenure_server.domain.command import ExpireJob, Promote, Reap
from tenure_server.service.calls import JobCall
from tenure_server.service.flusher import Flusher
from tenure_server.store import sweeps
from tenure_server.store.database import Database

log = logging.getLogger(__name__)

PAGE = 500
PATIENCE = 2.0
BEGINNING = (datetime(1, 1, 1, tzinfo=UTC), UUID(int=0))


class JobSweep:
    """Reads a page of candidates without locks and submits one command for each.

    Pages go on from one another until the end is reached, so that candidates which are to be left
    alone, or cannot be judged, never fill every page.
    """

    statement: LiteralString
    command: Reap | Promote | ExpireJob

    def __init__(self, database: Database, flusher: Flusher, clock: Clock) -> None:
        self._database = database
        self._flusher = flusher
        self._clock = clock
        self._after = BEGINNING
        self._left_out: set[UUID] = set()
        self._told: set[UUID] = set()
        self.skipped = 0

    async def run_once(self) -> int:
        """Sweep one page; returns its size."""
        if self._after is BEGINNING:
            self._told, self._left_out = self._left_out, set()
        found = await self._find()
        self._after = (found[-1].time, found[-1].id) if len(found) == PAGE else BEGINNING
        if found:
            await self._judge(found)
        return len(found)

    async def _find(self) -> list[sweeps.Candidate]:
        async with self._database.read() as tx:
            cursor = await sweeps.find_candidates(
                tx, self.statement, now=self._clock.pinned, after=self._after, limit=PAGE
            )
            return await cursor.fetchall()

    async def _judge(self, found: list[sweeps.Candidate]) -> None:
        deadline = asyncio.get_running_loop().time() + PATIENCE
        calls = [JobCall(candidate.scope, deadline, candidate.id, self.command) for candidate in found]
        outcomes = await self._flusher.submit(calls)
        failures = {
            call.job_id: outcome
            for call, outcome in zip(calls, outcomes, strict=True)
            if isinstance(outcome, Exception)
        }
        self.skipped += len(failures)
        self._left_out |= failures.keys()
        # Once of each, not with every round.
        if new := [job_id for job_id in failures if job_id not in self._told]:
            name, first = type(self).__name__, new[0]
            log.warning("%s left out job %s and %d others: %s", name, first, len(new) - 1, failures[first])


class LeaseReaper(JobSweep):
    """Ends leases that ran out."""

    statement = sweeps.LEASES_TO_CHECK
    command = Reap()


class JobExpirer(JobSweep):
    """Ends jobs whose deadline has passed."""

    statement = sweeps.LATE_JOBS
    command = ExpireJob()


class JobPromoter(JobSweep):
    """Makes scheduled jobs ready when their time has come."""

    statement = sweeps.DUE_JOBS
    command = Promote()

    async def until_next(self) -> float | None:
        """Seconds until the next scheduled job is due, None when none is scheduled.

        Jobs that were left out would be due for ever: while there are any, only what lies ahead counts.
        """
        async with self._database.read() as tx:
            cursor = await sweeps.time_to_next_due(
                tx, self._clock.pinned, overdue=not (self._left_out or self._told)
            )
            row = await cursor.fetchone()
        return None if row is None or row[0] is None else row[0].total_seconds()
