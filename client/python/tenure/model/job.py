"""Jobs as their creators and readers see them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from tenure.model.document import Content, Document, document_from_proto
from tenure.model.enums import Directive, JobEventReason, Phase, numbered
from tenure.model.times import DurationLike, seconds_of, time_of
from tenure.v1 import job_pb2

_PHASES = numbered(Phase, job_pb2.Phase)
_DIRECTIVES = numbered(Directive, job_pb2.Directive)
_EVENT_REASONS = numbered(JobEventReason, job_pb2.JobEventReason)


def new_request_id() -> str:
    """Return an identity for one call, by which the server knows a repetition of it."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often work is tried and how long it rests in between; what is unset the server decides."""

    max_attempts: int = 0
    initial_delay: DurationLike | None = None
    max_delay: DurationLike | None = None
    multiplier: float = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt, or a job, did not succeed."""

    code: str = ""
    message: str = ""
    retryable: bool | None = None
    """None counts as true."""
    details: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is; `total` 0 means that it cannot be measured."""

    label: str = ""
    done: int | None = None
    total: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds a job, as others see it: without the token. `duration` is in seconds."""

    holder: str
    expire_time: datetime
    duration: float
    heartbeat_time: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """What a creator says about a job.

    The request id makes this value one creation: the same value sent again makes no second job.
    """

    queue: str = "default"
    kind: str = ""
    payload: Content = field(default=b"", repr=False)
    content_type: str | None = None
    lifecycle: str = "standard"
    lifecycle_version: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    priority: int = 0
    schedule_time: datetime | None = None
    expire_time: datetime | None = None
    retry: RetryPolicy | None = None
    idempotency_key: str = ""
    request_id: str = field(default_factory=new_request_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A stored unit of work, as it was when the reply was made. Documents are there where asked for."""

    id: str
    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    state: str
    phase: Phase
    allowed_targets: tuple[str, ...]
    priority: int
    schedule_time: datetime | None
    expire_time: datetime | None
    labels: Mapping[str, str] = field(hash=False)
    retry: RetryPolicy | None
    attempt: int
    version: int
    fence: int
    lease: Lease | None
    directive: Directive | None
    cancel_reason: str
    progress: Progress | None
    phase_index: int
    payload: Document | None
    result: Document | None
    error: Failure | None
    checkpoint: Document | None
    pinned: bool
    deleted_time: datetime | None
    create_time: datetime | None
    update_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None

    @property
    def ended(self) -> bool:
        return self.phase.terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """One change in the life of a job."""

    job_id: str
    version: int
    step: int
    from_state: str
    to_state: str
    reason: JobEventReason
    holder: str
    fence: int
    attempt: int
    time: datetime


class Created(NamedTuple):
    """A job, and whether this call made it."""

    job: Job
    created: bool


class CreateResult(NamedTuple):
    """What became of one job of many to create."""

    job_id: str
    created: bool
    state: str
    version: int


class Page(NamedTuple):
    """Some jobs of a list; `next_page_token` is empty on the last page."""

    jobs: Sequence[Job]
    next_page_token: str


class Watched(NamedTuple):
    """An event, and the cursor with which to go on right after it."""

    event: JobEvent
    cursor: str


def phase_of(number: int) -> Phase:
    return _PHASES.get(number, Phase.UNKNOWN)


def directive_of(number: int) -> Directive | None:
    return _DIRECTIVES.get(number, Directive.UNKNOWN) if number else None


def job_from_proto(message: job_pb2.Job) -> Job:
    return Job(
        id=message.id,
        queue=message.queue,
        kind=message.kind,
        lifecycle=message.lifecycle,
        lifecycle_version=message.lifecycle_version,
        state=message.state,
        phase=phase_of(message.phase),
        allowed_targets=tuple(message.allowed_targets),
        priority=message.priority,
        schedule_time=_time(message, "schedule_time"),
        expire_time=_time(message, "expire_time"),
        labels=dict(message.labels),
        retry=_retry_from_proto(message.retry_policy) if message.HasField("retry_policy") else None,
        attempt=message.attempt,
        version=message.version,
        fence=message.fence,
        lease=_lease_from_proto(message.lease) if message.HasField("lease") else None,
        directive=directive_of(message.directive),
        cancel_reason=message.cancel_reason,
        progress=_progress_from_proto(message.progress) if message.HasField("progress") else None,
        phase_index=message.phase_index,
        payload=_document(message, "payload"),
        result=_document(message, "result"),
        error=_failure_from_proto(message.error) if message.HasField("error") else None,
        checkpoint=_document(message, "checkpoint"),
        pinned=message.pinned,
        deleted_time=_time(message, "deleted_time"),
        create_time=_time(message, "create_time"),
        update_time=_time(message, "update_time"),
        start_time=_time(message, "start_time"),
        end_time=_time(message, "end_time"),
    )


def event_from_proto(message: job_pb2.JobEvent) -> JobEvent:
    return JobEvent(
        job_id=message.job_id,
        version=message.version,
        step=message.step,
        from_state=message.from_state,
        to_state=message.to_state,
        reason=_EVENT_REASONS.get(message.reason, JobEventReason.UNKNOWN),
        holder=message.holder,
        fence=message.fence,
        attempt=message.attempt,
        time=time_of(message.time),
    )


def _time(message: job_pb2.Job, name: str) -> datetime | None:
    return time_of(getattr(message, name)) if message.HasField(name) else None


def _document(message: job_pb2.Job, name: str) -> Document | None:
    return document_from_proto(getattr(message, name)) if message.HasField(name) else None


def _retry_from_proto(message: job_pb2.RetryPolicy) -> RetryPolicy:
    return RetryPolicy(
        max_attempts=message.max_attempts,
        initial_delay=seconds_of(message.initial_delay) if message.HasField("initial_delay") else None,
        max_delay=seconds_of(message.max_delay) if message.HasField("max_delay") else None,
        multiplier=message.multiplier,
    )


def _lease_from_proto(message: job_pb2.Lease) -> Lease:
    heard = time_of(message.heartbeat_time) if message.HasField("heartbeat_time") else None
    return Lease(message.holder, time_of(message.expire_time), seconds_of(message.duration), heard)


def _progress_from_proto(message: job_pb2.Progress) -> Progress:
    return Progress(
        label=message.label,
        done=message.done if message.HasField("done") else None,
        total=message.total if message.HasField("total") else None,
        message=message.message,
    )


def _failure_from_proto(message: job_pb2.Failure) -> Failure:
    retryable = message.retryable if message.HasField("retryable") else None
    return Failure(message.code, message.message, retryable, dict(message.details))
