"""What a lifecycle says about the verbs that go back or sideways, and about a job's time."""

from dataclasses import dataclass
from datetime import timedelta

from tenure_server.domain.lifecycle_state import Failure


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """The lease a worker gets when it names no duration, and how often it should renew."""

    default: timedelta
    renew_every: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Attempts:
    """Where a failed attempt goes: `on_failure_to` while attempts are left, else `exhausted`."""

    on_failure_to: str
    exhausted: str
    exponential: bool = False
    jitter: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """Retry from the terminal states `sources`; `clears` and `keeps` name parts of the job."""

    sources: frozenset[str]
    to: str
    clears: frozenset[str] = frozenset()
    keeps: frozenset[str] = frozenset()
    renews_deadline: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause moves along `edges`; in `cooperative` states it asks the holder to take the edge."""

    edges: tuple[tuple[str, str], ...] = ()
    cooperative: frozenset[str] = frozenset()
    keeps_lease: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """Resume moves from `source` to `target`, perhaps only once the lease is gone."""

    source: str
    target: str
    refuse_while_leased: bool = False


@dataclass(frozen=True, slots=True)
class Deadline:
    """Where a job goes when its time is up; without `after`, only jobs created with one have it."""

    after: timedelta | None
    to: str
    exempt: frozenset[str] = frozenset()
    not_while_leased: bool = False
    error: Failure | None = None
