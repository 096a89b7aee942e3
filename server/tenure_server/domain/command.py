"""What callers and sweeps ask of one job."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from tenure_server.domain.change import KEEP, Keep
from tenure_server.domain.job import Document
from tenure_server.domain.lifecycle import Failure
from tenure_server.domain.progress import Progress


class Acquire(NamedTuple):
    """A worker asks for leases: of one job, or of the next ones of some queues.

    `states`, `kinds` and `labels` narrow the choice; empty means any. Without a duration a lease lasts
    as long as the job's lifecycle says.
    """

    holder: str
    duration: timedelta | None = None
    queues: tuple[str, ...] = ()
    job_id: UUID | None = None
    max_leases: int = 1
    kinds: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Renew:
    """A holder extends its lease; without a duration by as much as before."""

    token: bytes = field(repr=False)
    duration: timedelta | None = None
    progress: Progress | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A holder tells how far it is."""

    token: bytes = field(repr=False)
    progress: Progress
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class SaveCheckpoint:
    """A holder stores what the next holder should start from."""

    token: bytes = field(repr=False)
    checkpoint: Document = field(repr=False)
    phase_index: int | None = None
    progress: Progress | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A holder takes an edge of the lifecycle."""

    token: bytes = field(repr=False)
    to: str
    result: Document | None = field(default=None, repr=False)
    error: Failure | None = None
    progress: Progress | None = None
    checkpoint: Document | None = field(default=None, repr=False)
    phase_index: int | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """A holder gives the job back."""

    token: bytes = field(repr=False)
    delay: timedelta | None = None
    count_attempt: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Someone wants the job cancelled."""

    reason: str | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Someone wants the job set aside."""

    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """Someone wants the paused job back at work."""

    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Someone wants the ended job opened again."""

    delay: timedelta | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Someone changes what is not the lifecycle's business."""

    pinned: bool | Keep = KEEP
    priority: int | Keep = KEEP
    schedule_time: datetime | Keep = KEEP
    labels: tuple[tuple[str, str], ...] | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Someone hides the ended job from lists, or brings it back."""

    deleted: bool
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Reap:
    """A sweep found that the lease is due for a look."""


@dataclass(frozen=True, slots=True)
class Promote:
    """A sweep found that the scheduled time has come."""


@dataclass(frozen=True, slots=True)
class ExpireJob:
    """A sweep found that the deadline has passed."""


Command = (
    Renew
    | Report
    | SaveCheckpoint
    | Move
    | Release
    | Cancel
    | Pause
    | Resume
    | Retry
    | Update
    | Delete
    | Reap
    | Promote
    | ExpireJob
)
