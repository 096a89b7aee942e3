"""One flush: lock → decide → save, for everything that gathered."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from tenure_server.domain.command import Report
from tenure_server.service.calls import AcquireCall, Call, CreateCall, JobCall
from tenure_server.service.claim_part import ClaimPart
from tenure_server.service.creation_part import CreationPart
from tenure_server.service.job_part import JobPart
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.parts import NamedJobs, RequestIds, request_id_of
from tenure_server.service.saving import Saving
from tenure_server.service.sequence import Sequence as ReadySequence
from tenure_server.store import heads
from tenure_server.store.database import Transaction


class ScopeFlush:
    """The calls of one scope: every statement of a flush names exactly one."""

    def __init__(self, scope: str, calls: Sequence[Call], catalogue: Catalogue) -> None:
        self._scope = scope
        self._named = NamedJobs(scope, calls)
        self._requests = RequestIds(scope, calls)
        job_calls = [call for call in calls if isinstance(call, JobCall)]
        creations = [call for call in calls if isinstance(call, CreateCall)]
        claims = [call for call in calls if isinstance(call, AcquireCall)]
        self._jobs = JobPart(job_calls, self._named, self._requests, catalogue)
        self._creations = CreationPart(scope, creations, self._requests, catalogue)
        self._claims = ClaimPart(scope, claims, self._named, self._requests, catalogue)
        self.saving: Saving
        self.answers: list[tuple[Call, object]] = []

    @property
    def put_off(self) -> list[Call]:
        """Calls for rows that another server has locked right now."""
        return self._jobs.put_off + self._claims.put_off

    @property
    def bounded_queues(self) -> set[str]:
        """Those of the queues asked for that have a bound."""
        return self._claims.gates.bounded

    async def lock(self, tx: Transaction) -> None:
        """Send the lock step."""
        await self._named.lock(tx)
        await self._requests.ask(tx)
        await self._creations.ask(tx)
        await self._claims.ask(tx)

    async def collect(self) -> bool:
        """Take what was locked; True when something needs a closer look."""
        missing = await self._named.collect()
        await self._requests.collect()
        await self._creations.collect()
        return await self._claims.collect() or missing

    async def look_closer(self, tx: Transaction) -> None:
        """Ask which rows exist though they could not be locked, and what bounded queues still hold."""
        await self._named.look_for_missing(tx)
        await self._claims.look_closer(tx)

    async def collect_closer(self) -> None:
        """Take the answers."""
        await self._named.collect_missing()
        await self._claims.collect_closer()

    def decide(self, at: datetime, sequence: ReadySequence) -> None:
        """Judge everything."""
        self.saving = Saving(self._scope, at, sequence)
        self._jobs.decide(self.saving)
        self._creations.decide(self.saving)
        self._claims.decide(self.saving)

    async def finish(self) -> None:
        """Make sure that everything was saved, and read the answers."""
        await self.saving.check()
        records = await self.saving.records()
        self.answers = [
            *self._jobs.outcomes(records),
            *self._creations.outcomes(records),
            *self._claims.outcomes(records, self.saving),
        ]


class Flush:
    """One transaction for calls of any number of scopes."""

    def __init__(self, calls: Sequence[Call], catalogue: Catalogue, sequence: ReadySequence) -> None:
        self._calls, self._later = _first_of_each(calls)
        self._sequence = sequence
        self.commit_sent = False
        by_scope: dict[str, list[Call]] = {}
        for call in self._calls:
            by_scope.setdefault(call.scope, []).append(call)
        # Sorted: two servers that bind keys in the same scopes would otherwise wait for each other.
        self.scopes = [ScopeFlush(scope, by_scope[scope], catalogue) for scope in sorted(by_scope)]

    @property
    def put_off(self) -> list[Call]:
        """What has to go into the next flush."""
        return [call for scope in self.scopes for call in scope.put_off] + self._later

    async def carry_out(self, tx: Transaction, now: datetime | None) -> None:
        """Lock, decide, save and commit."""
        at = await self._lock(tx, now)
        for scope in self.scopes:
            scope.decide(at, self._sequence)
        if not any(scope.saving.writes for scope in self.scopes):
            await self._save(tx)
            return
        if all(isinstance(c, JobCall) and isinstance(c.command, Report) for c in self._calls):
            await heads.commit_soon(tx)
        await self._save(tx)
        self.commit_sent = True
        await heads.commit(tx)
        await tx.settle()

    async def _lock(self, tx: Transaction, now: datetime | None) -> datetime:
        for scope in self.scopes:
            await scope.lock(tx)
        clock = await heads.read_clock(tx, now)
        await tx.settle()
        unclear = [scope for scope in self.scopes if await scope.collect()]
        if unclear:
            for scope in unclear:
                await scope.look_closer(tx)
            clock = await heads.read_clock(tx, now)
            await tx.settle()
            for scope in unclear:
                await scope.collect_closer()
        row = await clock.fetchone()
        if row is None:
            raise LookupError("the database's clock gave no time")
        at: datetime = row[0]
        return at

    async def _save(self, tx: Transaction) -> None:
        for scope in self.scopes:
            await scope.saving.send(tx)
        await tx.settle()
        for scope in self.scopes:
            await scope.finish()

    def answers(self) -> Iterable[tuple[Call, object]]:
        """Who gets which outcome."""
        for scope in self.scopes:
            yield from scope.answers


def _first_of_each(calls: Sequence[Call]) -> tuple[list[Call], list[Call]]:
    """Calls with the same key or request id go one after the other, so that the later sees the earlier."""
    first: list[Call] = []
    later: list[Call] = []
    seen: set[tuple[str, str | bytes]] = set()
    for call in calls:
        key = call.key_hash if isinstance(call, CreateCall) else None
        name = key or request_id_of(call)
        if not name:
            first.append(call)
        elif (call.scope, name) in seen:
            later.append(call)
        else:
            seen.add((call.scope, name))
            first.append(call)
    return first, later
