"""A declared state machine, and the one judge of its edges."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenure_server.domain.errors import IllegalTransition
from tenure_server.domain.lifecycle_bounds import Capacity, Create, History, Limits, Transfers
from tenure_server.domain.lifecycle_state import (
    Cancel,
    CancelKind,
    Expiry,
    ExpiryKind,
    Failure,
    LeaseRule,
    OnEnter,
    Outcome,
    Report,
    ReportKind,
    State,
)
from tenure_server.domain.lifecycle_verbs import Attempts, Deadline, LeaseTerms, Pause, Resume, Retry

__all__ = [
    "Attempts",
    "Cancel",
    "CancelKind",
    "Capacity",
    "Create",
    "Deadline",
    "Expiry",
    "ExpiryKind",
    "Failure",
    "History",
    "LeaseRule",
    "LeaseTerms",
    "Lifecycle",
    "Limits",
    "OnEnter",
    "Outcome",
    "Pause",
    "Report",
    "ReportKind",
    "Resume",
    "Retry",
    "State",
    "Transfers",
    "UnknownState",
]


class UnknownState(LookupError):
    """A stored job is in a state its lifecycle does not have: the row is damaged, not the request."""

    def __init__(self, lifecycle: str, state: str) -> None:
        super().__init__(f"lifecycle {lifecycle} has no state {state}")
        self.state = state


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """One version of a state machine; it never changes, and a job is pinned to it.

    `edges` are a worker's, `system_edges` only Tenure takes; both list their targets in the order
    of the document and have an entry for every state. `document` is the text it was read from.
    """

    name: str
    version: int
    initial: str
    terminal: Mapping[str, Outcome]
    states: Mapping[str, State]
    edges: Mapping[str, tuple[str, ...]]
    system_edges: Mapping[str, tuple[str, ...]]
    dead_ends: frozenset[str]
    attempts: Attempts | None
    retry: Retry | None
    pause: Pause | None
    resume: Resume | None
    phases: tuple[str, ...]
    deadline: Deadline | None
    capacity: Capacity
    create: Create
    limits: Limits
    transfers: Transfers
    history: History
    lease: LeaseTerms | None
    extends: tuple[str, int] | None
    document: str

    def __hash__(self) -> int:
        return hash((self.name, self.version))

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"

    def state(self, name: str) -> State:
        """The state of this name; UnknownState when a row carries a word this lifecycle never had."""
        found = self.states.get(name)
        if found is None:
            raise UnknownState(str(self), name)
        return found

    def allowed(self, source: str) -> tuple[str, ...]:
        """Where a worker may move a job from here, in the order of the document."""
        return self.edges.get(source, ())

    def has_edge(self, source: str, target: str, *, system: bool = False) -> bool:
        """Whether a worker, or with `system` also Tenure itself, may take this edge."""
        if target in self.edges.get(source, ()):
            return True
        return system and target in self.system_edges.get(source, ())

    def require_edge(self, job_id: object, source: str, target: str) -> None:
        """Raise IllegalTransition unless a worker may take this edge; a terminal state has none."""
        self.state(source)
        if not self.has_edge(source, target):
            raise IllegalTransition(job_id, source, target, self.allowed(source))

    def is_terminal(self, name: str) -> bool:
        """Whether a job in this state has ended."""
        return name in self.terminal

    def outcome(self, name: str) -> Outcome | None:
        """How a job in this state ended, None while it has not."""
        return self.terminal.get(name)

    def cancelled_state(self) -> str | None:
        """The one terminal state that means cancelled, None when there is none or more than one."""
        found = [name for name, outcome in self.terminal.items() if outcome is Outcome.CANCELLED]
        return found[0] if len(found) == 1 else None

    def pause_target(self) -> str | None:
        """The state in which a paused job rests, None when jobs cannot be paused."""
        if self.pause is None:
            return None
        if self.pause.edges:
            return self.pause.edges[0][1]
        return self.resume.source if self.resume else None
