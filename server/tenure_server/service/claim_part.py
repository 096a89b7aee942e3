"""The part of a flush that grants leases."""

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from tenure_server.domain import errors
from tenure_server.domain.job import JobHead, JobRecord
from tenure_server.domain.lease_rules import EmptyReason, acquire
from tenure_server.service.calls import AcquireCall, AcquireOutcome, Call, Grant
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.parts import NamedJobs, RequestIds
from tenure_server.service.saving import Saving
from tenure_server.service.sequence import random_bytes
from tenure_server.store import claims
from tenure_server.store.claims import QueueState, ReadyFilter, SharedQueue
from tenure_server.store.database import Answer, Row, Transaction
from tenure_server.store.keys import RequestOutcome

log = logging.getLogger(__name__)

CLAIM_LIMIT = 500
TOKEN_BYTES = 32


@dataclass(slots=True)
class Gate:
    """What a queue hands out in this flush; `room` is None where there is no bound."""

    open: bool = True
    paused: bool = False
    room: int | None = None

    @property
    def closed_by(self) -> EmptyReason | None:
        """Why it hands out nothing."""
        if self.paused:
            return EmptyReason.QUEUE_PAUSED
        return EmptyReason.CONCURRENCY_LIMIT if self.room is not None and self.room <= 0 else None

    def take(self) -> None:
        """One job less."""
        if self.room is not None:
            self.room -= 1


class Gates:
    """The queues of a scope's claims."""

    def __init__(self, scope: str, calls: Sequence[AcquireCall]) -> None:
        self._scope = scope
        self._names = sorted({name for call in calls for name in call.queues})
        self._shared: Answer[SharedQueue] | None = None
        self._locked: Answer[Row] | None = None
        self._read: Answer[QueueState] | None = None
        self._gates: dict[str, Gate] = {}
        self.special: list[str] = []
        self.bounded: set[str] = set()

    async def ask(self, tx: Transaction) -> None:
        """Share the queues."""
        if self._names:
            self._shared = await claims.share_queues(tx, self._scope, self._names)

    async def collect(self) -> None:
        """Take the answer; `special` queues have settings that need a closer look."""
        for queue in await self._shared.fetchall() if self._shared else ():
            self._gates[queue.name] = Gate(open=queue.shared)
            if queue.has_settings:
                self.special.append(queue.name)

    async def look_closer(self, tx: Transaction) -> None:
        """Lock those with a bound, then read their settings and count what is active."""
        if self.special:
            self._locked = await claims.lock_bounded_queues(tx, self._scope, self.special)
            self._read = await claims.read_queues(tx, self._scope, self.special)

    async def collect_closer(self) -> None:
        """Take the answers."""
        if self._locked is None or self._read is None:
            return
        mine = {name for (name,) in await self._locked.fetchall()}
        for state in await self._read.fetchall():
            gate = self._gates[state.name]
            gate.paused = state.paused
            if state.max_active is not None:
                self.bounded.add(state.name)
                gate.open = gate.open and state.name in mine
                gate.room = state.max_active - (state.active or 0)

    def __getitem__(self, name: str) -> Gate:
        return self._gates[name]


class ClaimPart:
    """Asks for leases, by id or for the next jobs of some queues."""

    def __init__(
        self,
        scope: str,
        calls: Sequence[AcquireCall],
        named: NamedJobs,
        requests: RequestIds,
        catalogue: Catalogue,
    ) -> None:
        self._scope = scope
        self._calls = calls
        self._named = named
        self._requests = requests
        self._catalogue = catalogue
        self.gates = Gates(scope, calls)
        self._wanted: dict[ReadyFilter, int] = {}
        self._cursors: dict[ReadyFilter, Answer[JobHead]] = {}
        self._ready: dict[ReadyFilter, deque[JobHead]] = {}
        self._tokens = random_bytes(TOKEN_BYTES)
        self._taken: set[UUID] = set()
        self._fences: dict[UUID, int] = {}
        self._granted: list[tuple[AcquireCall, list[tuple[UUID, bytes]], EmptyReason | None]] = []
        self._replayed: list[tuple[AcquireCall, RequestOutcome]] = []
        self._refused: list[tuple[Call, Exception]] = []
        self.put_off: list[Call] = []

    async def ask(self, tx: Transaction) -> None:
        """Lock the next jobs of every queue asked for, as many as are asked for."""
        await self.gates.ask(tx)
        for call in self._calls:
            for ready in _filters(call):
                self._wanted[ready] = self._wanted.get(ready, 0) + call.asked.max_leases
        for ready in self._wanted:
            await self._lock_ready(tx, ready, counted=False)

    async def _lock_ready(self, tx: Transaction, ready: ReadyFilter, *, counted: bool) -> None:
        limit = min(self._wanted[ready], CLAIM_LIMIT)
        self._cursors[ready] = await claims.lock_ready_jobs(tx, self._scope, ready, limit, counted=counted)

    async def collect(self) -> bool:
        """Take the answers; True when some queues need a closer look."""
        await self.gates.collect()
        await self._collect_ready()
        return bool(self.gates.special)

    async def look_closer(self, tx: Transaction) -> None:
        """Ask queues that have settings again, with their bounds locked."""
        await self.gates.look_closer(tx)
        for ready in self._wanted:
            if ready.queue in self.gates.special:
                await self._lock_ready(tx, ready, counted=True)

    async def collect_closer(self) -> None:
        """Take the answers."""
        await self.gates.collect_closer()
        await self._collect_ready()

    async def _collect_ready(self) -> None:
        for ready, cursor in self._cursors.items():
            self._ready[ready] = deque(await cursor.fetchall())
        self._cursors = {}

    def decide(self, saving: Saving) -> None:
        """Grant what may be granted, asks in order of arrival."""
        for call in self._calls:
            seen = self._requests.seen(call.request_id)
            try:
                if seen is not None:
                    seen.require_call("AcquireLease")
                    self._replayed.append((call, seen.outcome))
                    saving.want(seen.outcome.job_ids, full=True)
                elif not all(self.gates[name].open for name in call.queues):
                    self.put_off.append(call)
                else:
                    self._grant(call, saving)
            except errors.TenureError as refusal:
                self._refused.append((call, refusal))

    def _grant(self, call: AcquireCall, saving: Saving) -> None:
        if call.asked.job_id is None:
            grants, reason = self._grant_next(call, saving), None
            if not grants:
                reason = self._closed(call)
        else:
            head = self._named.head(call.asked.job_id)
            if head is None:
                self.put_off.append(call)
                return
            given = self._give(call, head, saving)
            grants, reason = ([], given) if isinstance(given, EmptyReason) else ([given], None)
        saving.want((job_id for job_id, _ in grants), full=True)
        if call.request_id and grants:
            ids = [job_id for job_id, _ in grants]
            fences = [self._fences[job_id] for job_id in ids]
            saving.remember(RequestOutcome(call.request_id, "AcquireLease", ids, fences))
        self._granted.append((call, grants, reason))

    def _grant_next(self, call: AcquireCall, saving: Saving) -> list[tuple[UUID, bytes]]:
        grants: list[tuple[UUID, bytes]] = []
        lines = [self._ready[ready] for ready in _filters(call)]
        while len(grants) < call.asked.max_leases:
            head = self._next(lines)
            if head is None:
                break
            given = self._give(call, head, saving)
            if not isinstance(given, EmptyReason):
                grants.append(given)
        return grants

    def _next(self, lines: list[deque[JobHead]]) -> JobHead | None:
        """The most urgent job at the head of these lines that is still to be had."""
        for line in lines:
            while line and (
                line[0].id in self._taken
                or line[0].id in self._named
                or self.gates[line[0].queue].closed_by is not None
            ):
                line.popleft()
        heads = [line for line in lines if line]
        if not heads:
            return None
        return min(heads, key=lambda line: (line[0].priority, line[0].ready_seq or 0)).popleft()

    def _give(self, call: AcquireCall, head: JobHead, saving: Saving) -> tuple[UUID, bytes] | EmptyReason:
        token = next(self._tokens)
        try:
            lifecycle = self._catalogue.require(head.lifecycle, head.lifecycle_version)
            decision = acquire(call.asked, head, lifecycle, token, saving.at)
        except (LookupError, errors.LifecycleNotFound) as damage:
            log.error("job %s is set aside: %s", head.id, damage)
            saving.set_aside(head.id)
            return EmptyReason.NOT_LEASABLE
        if isinstance(decision, EmptyReason):
            return decision
        closed_by = self.gates[head.queue].closed_by
        if closed_by is not None:
            return closed_by
        saving.add(head, decision)
        self._taken.add(head.id)
        self._fences[head.id] = head.fence + 1
        self.gates[head.queue].take()
        return head.id, token

    def _closed(self, call: AcquireCall) -> EmptyReason | None:
        reasons = [self.gates[name].closed_by for name in call.queues]
        return reasons[0] if all(reasons) else None

    def outcomes(self, records: dict[UUID, JobRecord], saving: Saving) -> list[tuple[Call, object]]:
        """What became of every ask that was not put off."""
        answers: list[tuple[Call, object]] = list(self._refused)
        for call, grants, reason in self._granted:
            given = [Grant(records[job_id], token) for job_id, token in grants]
            whole = [grant for grant in given if grant.record.complete]
            surplus = [grant for grant in given if not grant.record.complete]
            answers.append((call, AcquireOutcome(whole, reason, saving.at, surplus=surplus)))
        for call, outcome in self._replayed:
            answers.append((call, _replay(outcome, records, saving)))
        return answers


def _replay(outcome: RequestOutcome, records: dict[UUID, JobRecord], saving: Saving) -> AcquireOutcome:
    """Those of the grants given before that are still valid."""
    grants = []
    for job_id, fence in zip(outcome.job_ids, outcome.fences, strict=True):
        record = records.get(job_id)
        if record is None or record.job.fence != fence or record.job.lease_token is None:
            continue
        until = record.job.lease_expire_time
        if until is not None and until > saving.at:
            grants.append(Grant(record, record.job.lease_token))
    return AcquireOutcome(grants, None if grants else EmptyReason.NO_JOBS, saving.at, replayed=True)


def _filters(call: AcquireCall) -> list[ReadyFilter]:
    asked = call.asked
    return [ReadyFilter(name, asked.kinds, asked.states, asked.labels) for name in asked.queues]
