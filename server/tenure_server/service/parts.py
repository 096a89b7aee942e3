"""What the three parts of a flush have in common: named jobs, and request ids seen before."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from tenure_server.domain import errors
from tenure_server.domain.job import JobHead
from tenure_server.service.calls import AcquireCall, Call, CreateCall, JobCall
from tenure_server.store import heads, keys
from tenure_server.store.database import Answer, Row, Transaction
from tenure_server.store.keys import RequestOutcome


class NamedJobs:
    """The jobs that a scope's calls name: locked, busy or absent."""

    def __init__(self, scope: str, calls: Iterable[Call]) -> None:
        self._scope = scope
        self._ids = {call.names_job for call in calls} - {None}
        self._cursor: Answer[JobHead] | None = None
        self._found: Answer[Row] | None = None
        self._heads: dict[UUID, JobHead] = {}
        self._busy: set[UUID] = set()

    async def lock(self, tx: Transaction) -> None:
        """Ask for the locks."""
        if self._ids:
            self._cursor = await heads.lock_jobs(tx, self._scope, [i for i in self._ids if i is not None])

    async def collect(self) -> bool:
        """Take what was locked; True when some rows were not."""
        if self._cursor is not None:
            self._heads = {head.id: head for head in await self._cursor.fetchall()}
        return len(self._heads) < len(self._ids)

    async def look_for_missing(self, tx: Transaction) -> None:
        """Ask which of the rows not locked exist."""
        missing = [i for i in self._ids if i is not None and i not in self._heads]
        if missing:
            self._found = await heads.find_jobs(tx, self._scope, missing)

    async def collect_missing(self) -> None:
        """Take the answer."""
        if self._found is not None:
            self._busy = {row[0] for row in await self._found.fetchall()}

    def __contains__(self, job_id: object) -> bool:
        return job_id in self._ids

    def head(self, job_id: UUID) -> JobHead | None:
        """The locked job, None when another transaction has it; raises JobNotFound."""
        found = self._heads.get(job_id)
        if found is None and job_id not in self._busy:
            raise errors.JobNotFound(job_id)
        return found


class Seen(NamedTuple):
    """A request id that was carried out before."""

    outcome: RequestOutcome

    def require_call(self, call: str, job_id: UUID | None = None) -> None:
        """Raise RequestIdReused unless this is the same call again."""
        if self.outcome.call != call or (job_id is not None and self.outcome.job_ids != [job_id]):
            raise errors.RequestIdReused(self.outcome.request_id)


class RequestIds:
    """The request ids of a scope's calls."""

    def __init__(self, scope: str, calls: Iterable[Call]) -> None:
        self._scope = scope
        self._ids = {request_id for call in calls if (request_id := request_id_of(call))}
        self._cursor: Answer[RequestOutcome] | None = None
        self._seen: dict[str, Seen] = {}

    async def ask(self, tx: Transaction) -> None:
        """Ask which are known."""
        if self._ids:
            self._cursor = await keys.find_outcomes(tx, self._scope, list(self._ids))

    async def collect(self) -> None:
        """Take the answer."""
        if self._cursor is not None:
            self._seen = {found.request_id: Seen(found) for found in await self._cursor.fetchall()}

    def seen(self, request_id: str) -> Seen | None:
        """What this id led to, None when it is new."""
        return self._seen.get(request_id)


def request_id_of(call: Call) -> str:
    """The id by which the call may be repeated; empty when it has none or needs none."""
    match call:
        case CreateCall(key_hash=bytes()):
            return ""
        case JobCall() | CreateCall() | AcquireCall():
            return call.request_id
        case _:
            return ""
