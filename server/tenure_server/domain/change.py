"""What a decision does to a job: equal Changes are saved together."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Final, NamedTuple, Self

from tenure_server.domain.job import Directive, Document
from tenure_server.domain.phase import Phase
from tenure_server.domain.progress import Progress


class Keep(Enum):
    """The value of a column that a change leaves alone."""

    KEEP = "KEEP"


KEEP: Final = Keep.KEEP


class LeaseChange(StrEnum):
    """What happens to the lease columns."""

    KEEP = "KEEP"
    GRANT = "GRANT"  # a new token, holder and fence
    EXTEND = "EXTEND"  # a later end; nothing else moves, so that the update stays HOT
    DROP = "DROP"  # nobody holds it; the token stays as proof of who did
    FORGET = "FORGET"  # nobody holds it, and nobody ever did
    RECHECK = "RECHECK"  # look at it again when it ends


class ReadyChange(StrEnum):
    """Whether the job stands in the line of those that may be claimed."""

    KEEP = "KEEP"
    DRAW = "DRAW"
    LEAVE = "LEAVE"


class ProgressChange(StrEnum):
    """What happens to the progress columns."""

    KEEP = "KEEP"
    REPLACE = "REPLACE"
    CLEAR = "CLEAR"
    FILL = "FILL"  # done = total


class EventReason(StrEnum):
    """What happened to a job, as its history tells it."""

    CREATED = "CREATED"
    ACQUIRED = "ACQUIRED"
    MOVED = "MOVED"
    ATTEMPT_FAILED = "ATTEMPT_FAILED"
    RELEASED = "RELEASED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"
    CANCEL_REQUESTED = "CANCEL_REQUESTED"
    PAUSED = "PAUSED"
    PAUSE_REQUESTED = "PAUSE_REQUESTED"
    RESUMED = "RESUMED"
    RETRIED = "RETRIED"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    DUE = "DUE"
    UPDATED = "UPDATED"
    DELETED = "DELETED"
    UNDELETED = "UNDELETED"


class Step(NamedTuple):
    """One line of a job's history."""

    source: str
    target: str
    reason: EventReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The next state and what is set, cleared and counted up; the same for every job it is given to.

    A silent change is bookkeeping that nobody is told of: it moves neither version nor update_time.
    """

    state: str
    phase: Phase
    steps: tuple[Step, ...] = ()
    silent: bool = False
    attempts: int = 0
    lease: LeaseChange = LeaseChange.KEEP
    lease_duration: timedelta | None = None
    lease_expire_time: datetime | None = None
    lease_target: str | Keep | None = KEEP
    heartbeat: bool = False
    ready: ReadyChange = ReadyChange.KEEP
    schedule_time: datetime | Keep | None = KEEP
    directive: Directive | Keep | None = KEEP
    cancel_reason: str | Keep | None = KEEP
    progress: ProgressChange = ProgressChange.KEEP
    label: str | None = None
    phase_index: int | Keep = KEEP
    expire_time: datetime | Keep | None = KEEP
    priority: int | Keep = KEEP
    pinned: bool | Keep = KEEP
    deleted: bool | Keep = KEEP
    starts: bool = False
    ended: bool | Keep = KEEP
    removed_documents: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.state, self.steps, self.lease, self.lease_expire_time, self.schedule_time))

    def after(self, first: "Change") -> Self:
        """Both changes as one, this one last."""
        return replace(
            self,
            steps=first.steps + self.steps,
            attempts=first.attempts + self.attempts,
            directive=first.directive if self.directive is KEEP else self.directive,
            removed_documents=first.removed_documents + self.removed_documents,
        )


class Decision(NamedTuple):
    """What is to be done with one job: the shared change, and what is this job's own.

    Without a change nothing is saved: the call had been carried out before.
    """

    change: Change | None
    token: bytes | None = None
    holder: str | None = None
    progress: Progress | None = None
    documents: tuple[tuple[str, Document], ...] = ()
    labels: tuple[tuple[str, str], ...] | None = None


REPLAYED: Final = Decision(None)
