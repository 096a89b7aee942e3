"""Between proto and domain: jobs, what creates and lists them, and their history."""

import logging
from datetime import timedelta
from functools import lru_cache
from uuid import UUID

from tenure.v1 import job_pb2, job_service_pb2
from tenure_server.domain.job import Document, DocumentKind, Job, JobRecord, NewJob, decode_failure
from tenure_server.domain.lifecycle import Failure, Lifecycle
from tenure_server.domain.retry import RetryPolicy
from tenure_server.rpc.convert_values import (
    document_from_proto,
    labels_from_proto,
    numbers_by_word,
    retry_policy_from_proto,
    retry_policy_to_proto,
    time_from_proto,
    write_document,
    write_duration,
    write_failure,
    write_time,
)
from tenure_server.service.calls import CreateOutcome
from tenure_server.service.jobs import Creation
from tenure_server.service.lifecycles import Catalogue
from tenure_server.store.events import StoredEvent
from tenure_server.store.jobs import JobFilter

log = logging.getLogger(__name__)

DEFAULT_QUEUE = "default"
DEFAULT_LIFECYCLE = "standard"

PHASES = numbers_by_word(job_pb2.Phase.items(), "PHASE_")
DIRECTIVES = numbers_by_word(job_pb2.Directive.items(), "DIRECTIVE_")
EVENT_REASONS = numbers_by_word(job_pb2.JobEventReason.items(), "JOB_EVENT_REASON_")
_PHASE_WORDS = {number: word for word, number in PHASES.items()}
_DELETED = {job_pb2.VISIBILITY_HIDDEN: True, job_pb2.VISIBILITY_ALL: None}

_UNREADABLE = Failure("unreadable", "the stored error cannot be read")


def job_to_proto(record: JobRecord, catalogue: Catalogue, *, full: bool = False) -> job_pb2.Job:
    """A job as readers see it; with its documents if `full`. No token is ever in it."""
    message = job_pb2.Job()
    write_job(message, record, catalogue, full=full)
    return message


def write_job(message: job_pb2.Job, record: JobRecord, catalogue: Catalogue, *, full: bool) -> None:
    """The same into an empty message, which saves the copy where the job is part of another one."""
    write_shared(message, record.job, catalogue)
    write_own(message, record, full=full)


OWN_COLUMNS = frozenset({"scope", "id", "version", "fence", "lease_token", "create_time"})
"""What jobs granted together do not share, as far as readers see it."""


def write_own(message: job_pb2.Job, record: JobRecord, *, full: bool = True) -> None:
    """What hardly two jobs have in common."""
    job = record.job
    message.id = str(job.id)
    message.version = job.version
    message.fence = job.fence
    write_time(message.create_time, job.create_time)
    if record.labels:
        message.labels.update(record.labels)
    if full:
        _write_documents(message, record.documents)


def write_shared(message: job_pb2.Job, job: Job, catalogue: Catalogue) -> None:
    """All the rest."""
    message.queue = job.queue
    message.kind = job.kind
    message.priority = job.priority
    message.attempt = job.attempt
    message.phase_index = job.phase_index
    message.pinned = job.pinned
    known = catalogue.find(job.lifecycle, job.lifecycle_version)
    retry = (job.max_attempts, job.retry_initial_delay, job.retry_max_delay, job.retry_multiplier)
    message.MergeFrom(_common(known, job.lifecycle, job.lifecycle_version, job.state, job.phase, retry))
    _write_lease(message, job)
    _write_progress(message, job)
    _write_times(message, job)


Retry = tuple[int, timedelta | None, timedelta | None, float | None]


@lru_cache(maxsize=4096)
def _common(
    known: Lifecycle | None, lifecycle: str, version: int, state: str, phase: str, retry: Retry
) -> job_pb2.Job:
    """What many jobs have in common, made once; never to be changed."""
    return job_pb2.Job(
        lifecycle=lifecycle,
        lifecycle_version=version,
        state=state,
        phase=PHASES.get(phase),
        allowed_targets=known.allowed(state) if known is not None else None,
        retry_policy=retry_policy_to_proto(RetryPolicy.of(*retry)),
    )


def _write_lease(message: job_pb2.Job, job: Job) -> None:
    if job.lease_expire_time is not None:
        lease = message.lease
        lease.holder = job.lease_holder or ""
        write_time(lease.expire_time, job.lease_expire_time)
        if job.lease_duration is not None:
            write_duration(lease.duration, job.lease_duration)
        if job.heartbeat_time is not None:
            write_time(lease.heartbeat_time, job.heartbeat_time)
    if job.directive is not None:
        message.directive = DIRECTIVES[job.directive]
    if job.cancel_reason is not None:
        message.cancel_reason = job.cancel_reason


def _write_progress(message: job_pb2.Job, job: Job) -> None:
    if job.progress_label is not None:
        message.progress.label = job.progress_label
    if job.progress_done is not None:
        message.progress.done = job.progress_done
    if job.progress_total is not None:
        message.progress.total = job.progress_total
    if job.progress_message is not None:
        message.progress.message = job.progress_message


def _write_times(message: job_pb2.Job, job: Job) -> None:
    write_time(message.update_time, job.update_time)
    if job.schedule_time is not None:
        write_time(message.schedule_time, job.schedule_time)
    if job.expire_time is not None:
        write_time(message.expire_time, job.expire_time)
    if job.start_time is not None:
        write_time(message.start_time, job.start_time)
    if job.end_time is not None:
        write_time(message.end_time, job.end_time)
    if job.deleted_time is not None:
        write_time(message.deleted_time, job.deleted_time)


def _write_documents(message: job_pb2.Job, documents: dict[str, Document]) -> None:
    for kind, document in documents.items():
        match kind:
            case DocumentKind.PAYLOAD:
                write_document(message.payload, document)
            case DocumentKind.RESULT:
                write_document(message.result, document)
            case DocumentKind.CHECKPOINT:
                write_document(message.checkpoint, document)
            case DocumentKind.ERROR:
                write_failure(message.error, _failure(document))


def _failure(stored: Document) -> Failure:
    """The stored error; one damaged error must not take a whole page of jobs with it."""
    try:
        return decode_failure(stored)
    except (ValueError, LookupError, TypeError, AttributeError):
        log.warning("a stored error cannot be read")
        return _UNREADABLE


def creation_from_proto(sent: job_service_pb2.CreateJobRequest) -> Creation:
    """What is to be created, defaults filled in."""
    job = sent.job
    new = NewJob(
        queue=job.queue or DEFAULT_QUEUE,
        kind=job.kind,
        lifecycle=job.lifecycle or DEFAULT_LIFECYCLE,
        lifecycle_version=job.lifecycle_version,
        priority=job.priority,
        schedule_time=(
            time_from_proto("job.schedule_time", job.schedule_time) if job.HasField("schedule_time") else None
        ),
        expire_time=(
            time_from_proto("job.expire_time", job.expire_time) if job.HasField("expire_time") else None
        ),
        retry_policy=(
            retry_policy_from_proto("job.retry_policy", job.retry_policy)
            if job.HasField("retry_policy")
            else None
        ),
        labels=labels_from_proto(job.labels),
        payload=document_from_proto(job.payload) if job.HasField("payload") else None,
    )
    return Creation(new, sent.idempotency_key, sent.request_id)


def create_result_to_proto(outcome: CreateOutcome) -> job_service_pb2.CreateJobResult:
    """What became of one item."""
    return job_service_pb2.CreateJobResult(
        job_id=str(outcome.job_id), created=outcome.created, state=outcome.state, version=outcome.version
    )


def filter_from_proto(sent: job_service_pb2.ListJobsRequest) -> JobFilter:
    """Which jobs are wanted."""
    return JobFilter(
        queue=sent.queue or None,
        kind=sent.kind or None,
        lifecycle=sent.lifecycle or None,
        states=tuple(sent.states),
        phases=tuple(_PHASE_WORDS[number] for number in sent.phases),
        labels=labels_from_proto(sent.labels),
        holder=sent.holder or None,
        created_from=(
            time_from_proto("created_from", sent.created_from) if sent.HasField("created_from") else None
        ),
        created_before=(
            time_from_proto("created_before", sent.created_before)
            if sent.HasField("created_before")
            else None
        ),
        pinned=sent.pinned if sent.HasField("pinned") else None,
        deleted=_DELETED.get(sent.visibility, False),
    )


def event_to_proto(event: StoredEvent) -> job_pb2.JobEvent:
    """One line of a job's history."""
    message = job_pb2.JobEvent(
        job_id=str(event.job_id),
        version=event.version,
        step=event.step,
        from_state=event.from_state,
        to_state=event.to_state,
        reason=EVENT_REASONS.get(event.reason),
        holder=event.holder,
        fence=event.fence,
        attempt=event.attempt,
    )
    write_time(message.time, event.time)
    return message


def job_id_from_proto(sent: str) -> UUID | None:
    """A job id that may be left out."""
    return UUID(sent) if sent else None
