"""The part of a flush that creates jobs."""

from collections.abc import Sequence
from uuid import UUID

from tenure_server.domain import creation_rules, errors
from tenure_server.domain.job import DocumentKind, JobRecord, NewJob
from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.retry import RetryPolicy
from tenure_server.service.calls import Call, CreateCall, CreateOutcome
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.parts import RequestIds
from tenure_server.service.saving import Saving
from tenure_server.service.sequence import make_job_id
from tenure_server.store import keys
from tenure_server.store.changes import Made, Mold
from tenure_server.store.database import Answer, Transaction
from tenure_server.store.keys import JobKey, RequestOutcome


class CreationPart:
    """New jobs, and keys that lead to jobs created before."""

    def __init__(
        self, scope: str, calls: Sequence[CreateCall], requests: RequestIds, catalogue: Catalogue
    ) -> None:
        self._scope = scope
        self._calls = calls
        self._requests = requests
        self._catalogue = catalogue
        self._cursor: Answer[JobKey] | None = None
        self._known: dict[bytes, JobKey] = {}
        self._answers: list[tuple[CreateCall, UUID | errors.TenureError, bool]] = []

    async def ask(self, tx: Transaction) -> None:
        """Ask which keys are known."""
        hashes = [call.key_hash for call in self._calls if call.key_hash is not None]
        if hashes:
            self._cursor = await keys.find_keys(tx, self._scope, hashes)

    async def collect(self) -> None:
        """Take the answer."""
        if self._cursor is not None:
            self._known = {key.key_hash: key for key in await self._cursor.fetchall()}

    def decide(self, saving: Saving) -> None:
        """Create what is new, recognise what is not, refuse keys used for something else."""
        for call in self._calls:
            try:
                lifecycle = self._catalogue.require(call.new.lifecycle, call.new.lifecycle_version)
                earlier = self._earlier(call, lifecycle)
                job_id = earlier or self._create(call, lifecycle, saving)
            except errors.TenureError as refusal:
                self._answers.append((call, refusal, False))
                continue
            if earlier is not None or call.wants_job:
                saving.want([job_id])
            self._answers.append((call, job_id, earlier is None))

    def _earlier(self, call: CreateCall, lifecycle: Lifecycle) -> UUID | None:
        known = self._known.get(call.key_hash) if call.key_hash is not None else None
        if known is not None:
            if known.fingerprint != creation_rules.fingerprint(call.new, lifecycle):
                raise errors.IdempotencyKeyReused(known.job_id)
            return known.job_id
        seen = self._requests.seen(call.request_id) if call.key_hash is None else None
        if seen is None:
            return None
        seen.require_call("CreateJob")
        return seen.outcome.job_ids[0]

    def _create(self, call: CreateCall, lifecycle: Lifecycle, saving: Saving) -> UUID:
        new = call.new
        creation_rules.require_key(lifecycle, call.key)
        number = saving.sequence.draw(saving.at)
        job_id = make_job_id(number)
        saving.make(_mold(new, lifecycle), _made(job_id, number, new, lifecycle, saving))
        saving.attach(job_id, DocumentKind.PAYLOAD.value, new.payload, new.labels)
        if call.key_hash is not None:
            saving.bind(JobKey(call.key_hash, job_id, creation_rules.fingerprint(new, lifecycle)))
        elif call.request_id:
            saving.remember(RequestOutcome(call.request_id, "CreateJob", [job_id], [0]))
        return job_id

    def outcomes(self, records: dict[UUID, JobRecord]) -> list[tuple[Call, object]]:
        """What became of every creation."""
        return [(call, self._outcome(call, found, new, records)) for call, found, new in self._answers]

    def _outcome(
        self,
        call: CreateCall,
        found: UUID | errors.TenureError,
        created: bool,
        records: dict[UUID, JobRecord],
    ) -> object:
        if isinstance(found, errors.TenureError):
            return found
        record = records.get(found)
        if record is not None:
            return CreateOutcome(found, created, record.job.state, record.job.version, record)
        if not created:
            return errors.JobNotFound(found)
        lifecycle = self._catalogue.require(call.new.lifecycle, call.new.lifecycle_version)
        return CreateOutcome(found, True, lifecycle.initial, 0)


def _mold(new: NewJob, lifecycle: Lifecycle) -> Mold:
    state = lifecycle.state(lifecycle.initial)
    retry = new.retry_policy
    own = retry if retry is not None and retry != RetryPolicy(retry.max_attempts) else None
    return Mold(
        queue=new.queue,
        kind=new.kind,
        lifecycle=lifecycle.name,
        lifecycle_version=lifecycle.version,
        state=state.name,
        phase=state.phase.value,
        max_attempts=retry.max_attempts if retry else 1,
        retry_initial_delay=own and own.initial_delay,
        retry_max_delay=own and own.max_delay,
        retry_multiplier=own and own.multiplier,
    )


def _made(job_id: UUID, number: int, new: NewJob, lifecycle: Lifecycle, saving: Saving) -> Made:
    later = new.schedule_time is not None and new.schedule_time > saving.at
    ready = lifecycle.state(lifecycle.initial).leasable and not later
    return Made(
        id=job_id,
        priority=new.priority,
        ready_seq=number if ready else None,
        schedule_time=new.schedule_time if later else None,
        expire_time=creation_rules.expire_time(new, lifecycle, saving.at),
    )
