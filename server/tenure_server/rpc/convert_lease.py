"""Between proto and domain: grants, and what holders ask and are told."""

from datetime import datetime, timedelta
from operator import itemgetter

from tenure.v1 import lease_pb2, lease_service_pb2
from tenure_server.domain.change import LeaseChange
from tenure_server.domain.command import Acquire, Move, Release, Renew, Report, SaveCheckpoint
from tenure_server.domain.job import Directive, Job
from tenure_server.domain.phase import Phase
from tenure_server.rpc.convert_job import (
    DIRECTIVES,
    OWN_COLUMNS,
    PHASES,
    job_id_from_proto,
    write_own,
    write_shared,
)
from tenure_server.rpc.convert_values import (
    document_from_proto,
    duration_from_proto,
    failure_from_proto,
    labels_from_proto,
    numbers_by_word,
    progress_from_proto,
    write_duration,
    write_time,
)
from tenure_server.service.calls import Grant, JobOutcome
from tenure_server.service.leases import AcquireAnswer
from tenure_server.service.lifecycles import Catalogue

EMPTY_REASONS = numbers_by_word(lease_pb2.EmptyReason.items(), "EMPTY_REASON_")

NO_TIME = timedelta(0)
RENEWALS_PER_LEASE = 3

_SHARED = itemgetter(*(Job._fields.index(name) for name in Job._fields if name not in OWN_COLUMNS))


def acquire_from_proto(sent: lease_service_pb2.AcquireLeaseRequest) -> Acquire:
    """Who wants which leases, defaults filled in."""
    return Acquire(
        holder=sent.holder,
        duration=(
            duration_from_proto("lease_duration", sent.lease_duration)
            if sent.HasField("lease_duration")
            else None
        ),
        queues=tuple(sent.queues),
        job_id=job_id_from_proto(sent.job_id),
        max_leases=sent.max_leases or 1,
        kinds=tuple(sent.kinds),
        states=tuple(sent.states),
        labels=labels_from_proto(sent.labels),
    )


def acquire_next_from_proto(
    sent: lease_service_pb2.TransitionRequest | lease_service_pb2.BatchTransitionRequest,
) -> Acquire | None:
    """The leases that are wanted along with a move, if any."""
    return acquire_from_proto(sent.acquire_next) if sent.HasField("acquire_next") else None


def wait_from_proto(sent: lease_service_pb2.AcquireLeaseRequest) -> timedelta:
    """How long the caller would wait; not at all unless it says so."""
    return duration_from_proto("wait", sent.wait) if sent.HasField("wait") else NO_TIME


def renew_from_proto(sent: lease_service_pb2.RenewRequest) -> Renew:
    """What Renew asks."""
    return Renew(
        sent.token,
        duration_from_proto("lease_duration", sent.lease_duration)
        if sent.HasField("lease_duration")
        else None,
        progress_from_proto(sent.progress) if sent.HasField("progress") else None,
        sent.expected_version if sent.HasField("expected_version") else None,
    )


def report_from_proto(sent: lease_service_pb2.ReportProgressRequest) -> Report:
    """What ReportProgress asks."""
    return Report(
        sent.token,
        progress_from_proto(sent.progress),
        sent.expected_version if sent.HasField("expected_version") else None,
    )


def checkpoint_from_proto(sent: lease_service_pb2.SaveCheckpointRequest) -> SaveCheckpoint:
    """What SaveCheckpoint asks."""
    return SaveCheckpoint(
        sent.token,
        document_from_proto(sent.checkpoint),
        sent.phase_index if sent.HasField("phase_index") else None,
        progress_from_proto(sent.progress) if sent.HasField("progress") else None,
        sent.expected_version if sent.HasField("expected_version") else None,
    )


def move_from_proto(sent: lease_service_pb2.TransitionRequest) -> Move:
    """What Transition asks."""
    return Move(
        sent.token,
        sent.to,
        document_from_proto(sent.result) if sent.HasField("result") else None,
        failure_from_proto(sent.error) if sent.HasField("error") else None,
        progress_from_proto(sent.progress) if sent.HasField("progress") else None,
        document_from_proto(sent.checkpoint) if sent.HasField("checkpoint") else None,
        sent.phase_index if sent.HasField("phase_index") else None,
        sent.expected_version if sent.HasField("expected_version") else None,
    )


def release_from_proto(sent: lease_service_pb2.ReleaseRequest) -> Release:
    """What Release asks."""
    delay = duration_from_proto("delay", sent.delay) if sent.HasField("delay") else None
    return Release(sent.token, delay, sent.count_attempt)


class GrantWriter:
    """Writes the grants of one answer; what one shares with the one before it is copied as a whole.

    `at` is the database's time, None for grants just made.
    """

    def __init__(self, at: datetime | None, catalogue: Catalogue) -> None:
        self._at = at
        self._catalogue = catalogue
        self._shared: tuple[object, ...] | None = None
        self._pattern = lease_pb2.Grant()

    def write(self, message: lease_pb2.Grant, grant: Grant) -> None:
        """A lease as its holder gets it, into an empty message."""
        record, job = grant.record, grant.record.job
        shared = _SHARED(job)
        if shared != self._shared:
            self._shared, self._pattern = shared, self._pattern_of(job)
        message.CopyFrom(self._pattern)
        message.token = grant.token
        message.fence = job.fence
        write_own(message.job, record)

    def _pattern_of(self, job: Job) -> lease_pb2.Grant:
        message = lease_pb2.Grant(attempt=job.attempt, last_attempt=job.attempt >= job.max_attempts)
        write_shared(message.job, job, self._catalogue)
        until, left = job.lease_expire_time, job.lease_duration or NO_TIME
        if until is not None:
            write_time(message.expire_time, until)
            left = left if self._at is None else min(left, max(NO_TIME, until - self._at))
        write_duration(message.ttl, left)
        write_duration(message.renew_after, left / RENEWALS_PER_LEASE)
        return message


def grant_to_proto(grant: Grant, at: datetime | None, catalogue: Catalogue) -> lease_pb2.Grant:
    """One lease as its holder gets it."""
    message = lease_pb2.Grant()
    GrantWriter(at, catalogue).write(message, grant)
    return message


def empty_to_proto(answer: AcquireAnswer) -> lease_service_pb2.AcquireLeaseResponse:
    """An answer that grants nothing, and says why."""
    return lease_service_pb2.AcquireLeaseResponse(
        empty_reason=EMPTY_REASONS.get(answer.outcome.reason or ""),
        poll_after=answer.poll_after,
        replayed=answer.outcome.replayed,
    )


def write_lease_status(message: lease_pb2.LeaseStatus, outcome: JobOutcome) -> None:
    """What a holder is told about its lease after any of its calls."""
    head, change = outcome.head, outcome.decision.change
    until, duration = head.lease_expire_time, head.lease_duration
    if change is not None and change.lease is LeaseChange.EXTEND:
        until, duration = change.lease_expire_time, change.lease_duration
    message.version = outcome.version
    if until is not None:
        left = max(NO_TIME, until - outcome.at)
        write_time(message.expire_time, until)
        write_duration(message.ttl, left)
        write_duration(message.renew_after, min(left, duration or left) / RENEWALS_PER_LEASE)
    if head.directive is not None:
        message.directive = DIRECTIVES[head.directive]
        if head.directive == Directive.CANCEL and head.cancel_reason is not None:
            message.directive_reason = head.cancel_reason


def renew_result_to_proto(outcome: JobOutcome) -> lease_service_pb2.RenewResult:
    """What became of one renewal."""
    message = lease_service_pb2.RenewResult()
    write_lease_status(message.lease, outcome)
    return message


def transition_result_to_proto(
    outcome: JobOutcome, catalogue: Catalogue
) -> lease_service_pb2.TransitionResult:
    """What became of one move."""
    return lease_service_pb2.TransitionResult(
        state=outcome.state,
        phase=PHASES.get(_phase(outcome, catalogue) or ""),
        version=outcome.version,
        replayed=outcome.replayed,
    )


def release_result_to_proto(outcome: JobOutcome, catalogue: Catalogue) -> lease_service_pb2.ReleaseResult:
    """What became of one release."""
    return lease_service_pb2.ReleaseResult(
        state=outcome.state,
        phase=PHASES.get(_phase(outcome, catalogue) or ""),
        version=outcome.version,
        replayed=outcome.replayed,
    )


def _phase(outcome: JobOutcome, catalogue: Catalogue) -> Phase | None:
    change = outcome.decision.change
    if change is not None:
        return change.phase
    known = catalogue.find(outcome.head.lifecycle, outcome.head.lifecycle_version)
    state = known.states.get(outcome.state) if known is not None else None
    return state.phase if state is not None else None
