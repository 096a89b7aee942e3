"""Jobs as their creators see them: create, look, wait, steer."""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from tenure_server.domain import errors
from tenure_server.domain.command import Cancel, Delete, Pause, Resume, Retry, Update
from tenure_server.domain.job import Document, JobRecord, NewJob, is_terminal
from tenure_server.service.caller import Caller
from tenure_server.service.calls import CreateCall, CreateOutcome, JobCall, JobOutcome
from tenure_server.service.flusher import Flusher
from tenure_server.service.wakeups import Wakeups, job_topic
from tenure_server.store import documents, events, jobs
from tenure_server.store.database import Database, Transaction
from tenure_server.store.events import StoredEvent
from tenure_server.store.jobs import JobFilter, StoredJob


class Creation(NamedTuple):
    """A job somebody wants made; without a key it is made anew each time it is asked for."""

    new: NewJob
    idempotency_key: str = ""
    request_id: str = ""


class Page(NamedTuple):
    """Some jobs of a list, and whether more follow."""

    records: list[JobRecord]
    more: bool


class EventPage(NamedTuple):
    """Some lines of a job's history, and whether more follow."""

    events: list[StoredEvent]
    more: bool


class Waited(NamedTuple):
    """The job at the end of a wait, and whether what was waited for came true."""

    record: JobRecord
    satisfied: bool


class Jobs:
    """Creates jobs, shows them and steers them."""

    def __init__(self, database: Database, flusher: Flusher, wakeups: Wakeups) -> None:
        self._database = database
        self._flusher = flusher
        self._wakeups = wakeups

    async def create(
        self, caller: Caller, creations: Sequence[Creation], *, wants_job: bool = False
    ) -> list[CreateOutcome | Exception]:
        """Create jobs, each on its own terms."""
        calls = [_create_call(caller, creation, wants_job) for creation in creations]
        return await self._flusher.submit(calls)

    async def get(self, caller: Caller, job_id: UUID, *, full: bool) -> JobRecord:
        """One job, with its documents if `full`; raises JobNotFound."""
        async with self._database.read() as tx:
            cursor = await jobs.read_jobs(tx, caller.scope, [job_id])
            content = await documents.read_documents(tx, caller.scope, [job_id]) if full else None
            stored = await cursor.fetchone()
            if stored is None:
                raise errors.JobNotFound(job_id)
            kept = {} if content is None else {r[1]: Document(r[2], r[3]) for r in await content.fetchall()}
        return JobRecord(stored.job, stored.labels, kept)

    async def list(
        self, caller: Caller, wanted: JobFilter, *, before: UUID | None, limit: int, full: bool
    ) -> Page:
        """A page of jobs, newest first."""
        async with self._database.read() as tx:
            cursor = await jobs.list_jobs(tx, caller.scope, wanted, before=before, limit=limit + 1)
            found = await cursor.fetchall()
            shown = found[:limit]
            kept = await _documents(tx, caller.scope, shown) if full and shown else {}
        records = [JobRecord(s.job, s.labels, kept.get(s.job.id, {})) for s in shown]
        return Page(records, len(found) > limit)

    async def wait(self, caller: Caller, job_id: UUID, states: tuple[str, ...], wait: timedelta) -> Waited:
        """Wait until the job is in one of the states, or has ended; looks once more at the end."""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait.total_seconds()
        with self._wakeups.waiter([job_topic(caller.scope, job_id)]) as waiter:
            while True:
                record = await self.get(caller, job_id, full=False)
                satisfied = record.job.state in states if states else is_terminal(record.job.phase)
                left = until - loop.time()
                if satisfied or left <= 0 or self._wakeups.draining:
                    break
                await waiter.sleep(left)
        return Waited(await self.get(caller, job_id, full=True), satisfied)

    async def steer(
        self,
        caller: Caller,
        job_id: UUID,
        command: Cancel | Pause | Resume | Retry | Update | Delete,
        request_id: str,
    ) -> JobOutcome:
        """Carry out what someone without a lease wants; the outcome has the job as it is then."""
        call = JobCall(caller.scope, caller.deadline, job_id, command, True, request_id)
        outcome = (await self._flusher.submit([call]))[0]
        if isinstance(outcome, Exception):
            raise outcome
        assert isinstance(outcome, JobOutcome)
        return outcome

    async def events(self, caller: Caller, job_id: UUID, after: tuple[int, int], limit: int) -> EventPage:
        """A page of a job's history, oldest first; raises JobNotFound."""
        async with self._database.read() as tx:
            there = await jobs.find_queue(tx, caller.scope, job_id)
            cursor = await events.list_job_events(tx, caller.scope, job_id, after, limit + 1)
            if await there.fetchone() is None:
                raise errors.JobNotFound(job_id)
            found = await cursor.fetchall()
        return EventPage(found[:limit], len(found) > limit)


def _create_call(caller: Caller, creation: Creation, wants_job: bool) -> CreateCall:
    key = creation.idempotency_key
    return CreateCall(
        caller.scope,
        caller.deadline,
        creation.new,
        key,
        hashlib.sha256(key.encode()).digest() if key else None,
        wants_job,
        creation.request_id,
    )


async def _documents(
    tx: Transaction, scope: str, shown: Sequence[StoredJob]
) -> dict[UUID, dict[str, Document]]:
    cursor = await documents.read_documents(tx, scope, [stored.job.id for stored in shown])
    kept: dict[UUID, dict[str, Document]] = {}
    for job_id, kind, content, content_type in await cursor.fetchall():
        kept.setdefault(job_id, {})[kind] = Document(content, content_type)
    return kept
