"""Between proto and domain: jobs, what creates and lists them, and their history."""

import logging
from uuid import UUID

from tenure.v1 import job_pb2, job_service_pb2
from tenure_server.domain.job import Document, DocumentKind, Job, JobRecord, NewJob, decode_failure
from tenure_server.domain.lifecycle import Failure
from tenure_server.rpc.convert_values import (
    Fields,
    document_from_proto,
    document_to_proto,
    duration_to_proto,
    failure_to_proto,
    labels_from_proto,
    numbers_by_word,
    progress_to_proto,
    retry_policy_from_proto,
    retry_policy_to_proto,
    time_from_proto,
    time_to_proto,
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
    job = record.job
    known = catalogue.find(job.lifecycle, job.lifecycle_version)
    documents = _documents(record.documents) if full and record.documents else {}
    return job_pb2.Job(
        id=str(job.id),
        queue=job.queue,
        kind=job.kind,
        lifecycle=job.lifecycle,
        lifecycle_version=job.lifecycle_version,
        state=job.state,
        phase=PHASES.get(job.phase),
        allowed_targets=known.allowed(job.state) if known is not None else None,
        priority=job.priority,
        schedule_time=time_to_proto(job.schedule_time),
        expire_time=time_to_proto(job.expire_time),
        labels=record.labels or None,
        retry_policy=retry_policy_to_proto(
            job.max_attempts, job.retry_initial_delay, job.retry_max_delay, job.retry_multiplier
        ),
        attempt=job.attempt,
        version=job.version,
        fence=job.fence,
        lease=_lease(job),
        directive=DIRECTIVES.get(job.directive or ""),
        cancel_reason=job.cancel_reason,
        progress=progress_to_proto(job.progress),
        phase_index=job.phase_index,
        pinned=job.pinned,
        deleted_time=time_to_proto(job.deleted_time),
        create_time=time_to_proto(job.create_time),
        update_time=time_to_proto(job.update_time),
        start_time=time_to_proto(job.start_time),
        end_time=time_to_proto(job.end_time),
        **documents,
    )


def _lease(job: Job) -> Fields | None:
    if job.lease_expire_time is None:
        return None
    return {
        "holder": job.lease_holder,
        "expire_time": time_to_proto(job.lease_expire_time),
        "duration": duration_to_proto(job.lease_duration),
        "heartbeat_time": time_to_proto(job.heartbeat_time),
    }


def _documents(documents: dict[str, Document]) -> Fields:
    error = documents.get(DocumentKind.ERROR)
    return {
        "payload": document_to_proto(documents.get(DocumentKind.PAYLOAD)),
        "result": document_to_proto(documents.get(DocumentKind.RESULT)),
        "error": failure_to_proto(_failure(error)) if error is not None else None,
        "checkpoint": document_to_proto(documents.get(DocumentKind.CHECKPOINT)),
    }


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
    return job_pb2.JobEvent(
        job_id=str(event.job_id),
        version=event.version,
        step=event.step,
        from_state=event.from_state,
        to_state=event.to_state,
        reason=EVENT_REASONS.get(event.reason),
        holder=event.holder,
        fence=event.fence,
        attempt=event.attempt,
        time=time_to_proto(event.time),
    )


def job_id_from_proto(sent: str) -> UUID | None:
    """A job id that may be left out."""
    return UUID(sent) if sent else None
