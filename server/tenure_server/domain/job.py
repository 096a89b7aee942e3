"""A job as it is stored, and what a creator says of a new one."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from tenure_server.domain.lifecycle import Failure
from tenure_server.domain.phase import Phase
from tenure_server.domain.progress import Progress
from tenure_server.domain.retry import RetryPolicy


class Directive(StrEnum):
    """What a holder is asked to do."""

    CANCEL = "CANCEL"
    PAUSE = "PAUSE"


class DocumentKind(StrEnum):
    """Which of a job's documents."""

    PAYLOAD = "payload"
    CHECKPOINT = "checkpoint"
    RESULT = "result"
    ERROR = "error"


class Document(NamedTuple):
    """Bytes that Tenure keeps and never looks into."""

    content: bytes
    content_type: str = ""


class JobHead(NamedTuple):
    """What decisions need to know of a job: the columns read under its row lock, in this order."""

    id: UUID
    queue: str
    lifecycle: str
    lifecycle_version: int
    state: str
    priority: int
    ready_seq: int | None
    schedule_time: datetime | None
    attempt: int
    max_attempts: int
    retry_initial_delay: timedelta | None
    retry_max_delay: timedelta | None
    retry_multiplier: float | None
    version: int
    fence: int
    lease_token: bytes | None
    lease_holder: str | None
    lease_expire_time: datetime | None
    lease_duration: timedelta | None
    lease_target: str | None
    directive: str | None
    cancel_reason: str | None
    expire_time: datetime | None
    deleted_time: datetime | None

    def __repr__(self) -> str:
        return f"JobHead({self.id}, {self.state}, version {self.version})"

    def is_leased(self, at: datetime) -> bool:
        """Whether someone holds the job at this time: a lease is valid while its end lies ahead."""
        return self.lease_expire_time is not None and self.lease_expire_time > at

    @property
    def retry_policy(self) -> RetryPolicy:
        """The policy the job was created with, defaults filled in."""
        return RetryPolicy.of(
            self.max_attempts, self.retry_initial_delay, self.retry_max_delay, self.retry_multiplier
        )


class Job(NamedTuple):
    """The whole row, for reading; the fields are the columns of table `job`, in their order."""

    scope: str
    id: UUID
    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    state: str
    phase: str
    priority: int
    ready_seq: int | None
    schedule_time: datetime | None
    attempt: int
    max_attempts: int
    retry_initial_delay: timedelta | None
    retry_max_delay: timedelta | None
    retry_multiplier: float | None
    version: int
    fence: int
    lease_token: bytes | None
    lease_holder: str | None
    lease_expire_time: datetime | None
    lease_duration: timedelta | None
    lease_check_time: datetime | None
    lease_target: str | None
    heartbeat_time: datetime | None
    directive: str | None
    cancel_reason: str | None
    progress_label: str | None
    progress_done: int | None
    progress_total: int | None
    progress_message: str | None
    phase_index: int
    expire_time: datetime | None
    pinned: bool
    deleted_time: datetime | None
    create_time: datetime
    update_time: datetime
    start_time: datetime | None
    end_time: datetime | None

    def __repr__(self) -> str:
        return f"Job({self.id}, {self.state}, version {self.version})"

    @property
    def progress(self) -> Progress | None:
        """The last report, None before the first."""
        parts = (self.progress_label, self.progress_done, self.progress_total, self.progress_message)
        if all(part is None for part in parts):
            return None
        return Progress(parts[0] or "", parts[1], parts[2], parts[3] or "")

    @property
    def retry_policy(self) -> RetryPolicy:
        """The policy the job was created with, defaults filled in."""
        return RetryPolicy.of(
            self.max_attempts, self.retry_initial_delay, self.retry_max_delay, self.retry_multiplier
        )


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job with what is kept beside its row; not `complete` when its documents were too many to read."""

    job: Job
    labels: dict[str, str]
    documents: dict[str, Document] = field(repr=False)
    complete: bool = True

    @property
    def error(self) -> Failure | None:
        """Why the last attempt, or the job, failed."""
        stored = self.documents.get(DocumentKind.ERROR)
        return None if stored is None else decode_failure(stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """What a creator says of a job, defaults filled in; all of it but the key is fingerprinted."""

    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    priority: int = 0
    schedule_time: datetime | None = None
    expire_time: datetime | None = None
    retry_policy: RetryPolicy | None = None
    labels: tuple[tuple[str, str], ...] = ()
    payload: Document | None = field(default=None, repr=False)

    def said(self) -> dict[str, object]:
        """Every value that makes this request different from another one, by name."""
        payload = self.payload or Document(b"")
        retry = self.retry_policy
        return {
            "queue": self.queue,
            "kind": self.kind,
            "lifecycle": [self.lifecycle, self.lifecycle_version],
            "priority": self.priority,
            "schedule_time": self.schedule_time and self.schedule_time.isoformat(),
            "expire_time": self.expire_time and self.expire_time.isoformat(),
            "retry_policy": retry
            and [retry.max_attempts, str(retry.initial_delay), str(retry.max_delay), retry.multiplier],
            "labels": sorted(self.labels),
            "payload": [payload.content_type, hashlib.sha256(payload.content).hexdigest()],
        }


def digest(said: dict[str, object]) -> bytes:
    """SHA-256 over named values."""
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).digest()


def encode_failure(failure: Failure) -> Document:
    """The document an error is stored as."""
    said = {
        "code": failure.code,
        "message": failure.message,
        "retryable": failure.retryable,
        "details": dict(failure.details),
    }
    return Document(json.dumps(said, ensure_ascii=False).encode(), "application/json")


def decode_failure(document: Document) -> Failure:
    """The error that `encode_failure` stored."""
    said = json.loads(document.content)
    return Failure(said["code"], said["message"], said["retryable"], tuple(said["details"].items()))


def is_terminal(phase: str) -> bool:
    """Whether a job in this phase has ended."""
    return Phase(phase).terminal
