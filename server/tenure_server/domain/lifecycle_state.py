"""One state of a lifecycle: what may be done to a job that is in it."""

from dataclasses import dataclass
from enum import StrEnum

from tenure_server.domain.phase import Phase


class Outcome(StrEnum):
    """How a job ended, in the word its lifecycle gives to a terminal state."""

    SUCCESS = "success"
    FAILURE = "failure"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"


class LeaseRule(StrEnum):
    """Whether a worker's verb must prove the lease in this state."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


class CancelKind(StrEnum):
    """What Cancel does: move at once, ask the holder (FLAG, or MOVE into a state), nothing, refuse."""

    IMMEDIATE = "immediate"
    FLAG = "flag"
    MOVE = "move"
    NOOP = "noop"
    REFUSED = "refused"


class ExpiryKind(StrEnum):
    """What becomes of a job whose lease ran out."""

    RECLAIMABLE = "reclaimable"
    REQUEUE = "requeue"
    PARK = "park"
    INTERRUPT = "interrupt"
    FAIL = "fail"


class ReportKind(StrEnum):
    """How a report of progress or a checkpoint is taken."""

    ALLOW = "allow"
    IGNORE = "ignore"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Failure:
    """The error a job gets when Tenure, not a worker, ends it."""

    code: str
    message: str
    retryable: bool = False
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cancel:
    """What Cancel does in a state.

    `path` is every state passed, in order: one or more for IMMEDIATE, one for MOVE, else empty.
    `reason` is set for REFUSED only; `error` is what the job gets when the path ends it.
    """

    kind: CancelKind
    path: tuple[str, ...] = ()
    reason: str | None = None
    error: Failure | None = None

    @property
    def to(self) -> str | None:
        """The last state of the path."""
        return self.path[-1] if self.path else None


@dataclass(frozen=True, slots=True)
class Expiry:
    """What the end of a lease does to a job in a state.

    `to` is set for every kind but RECLAIMABLE. For REQUEUE, `counts_attempt` says whether the lost
    attempt counts; a job that has none left goes to `exhausted` with `error`. `append_error` is
    added to the error the job already has.
    """

    kind: ExpiryKind = ExpiryKind.RECLAIMABLE
    to: str | None = None
    counts_attempt: bool = False
    exhausted: str | None = None
    error: Failure | None = None
    append_error: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """How a report is taken in a state; `reason` is set for REJECT only."""

    kind: ReportKind
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class OnEnter:
    """What entering a state sets or clears, besides the times."""

    clear_lease: bool = False
    clear_checkpoint: bool = False
    progress_full: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """One state; `acquire_to` is where a job goes in the commit that leases it, None to stay."""

    name: str
    phase: Phase
    leasable: bool
    acquire_to: str | None
    lease: LeaseRule
    cancel: Cancel
    cancel_when_leased: Cancel | None
    on_lease_expiry: Expiry
    progress: Report
    checkpoint: Report
    on_enter: OnEnter
