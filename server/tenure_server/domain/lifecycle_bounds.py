"""What a lifecycle says about creating, counting, sizing and keeping jobs."""

from dataclasses import dataclass
from enum import StrEnum


class Within(StrEnum):
    """Over which jobs a bound counts."""

    SCOPE = "scope"
    SERVICE = "service"


class KeyUse(StrEnum):
    """Whether a creator gives an idempotency key."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Unit(StrEnum):
    """What a length counts."""

    BYTES = "bytes"
    CHARACTERS = "characters"


class Oversize(StrEnum):
    """What happens to a value above its limit."""

    REFUSE = "refuse"
    REPLACE = "replace"


class Which(StrEnum):
    """In which states a history verb is offered."""

    ANY_STATE = "any_state"
    TERMINAL = "terminal"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `count` jobs in the states `of`; `minimum` is the least an operator may set it to."""

    count: int
    of: frozenset[str]
    reason: str
    minimum: int = 0
    within: Within = Within.SCOPE


@dataclass(frozen=True, slots=True)
class ByteBudget:
    """At most `bytes` in all jobs: their documents, `row_overhead` each, `active_reserve` if active."""

    bytes: int
    reason: str
    active_reserve: int = 0
    row_overhead: int = 0
    within: Within = Within.SCOPE


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much may be there at once; None is no bound."""

    max_pending: Bound | None = None
    max_active: Bound | None = None
    byte_budget: ByteBudget | None = None


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Use and length of the idempotency key."""

    use: KeyUse = KeyUse.OPTIONAL
    minimum: int = 1
    maximum: int = 512
    unit: Unit = Unit.BYTES


@dataclass(frozen=True, slots=True)
class TargetRule:
    """A field the creator must name: always, or for the job kinds `required_for`."""

    field: str
    required: bool = False
    required_for: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Create:
    """What a creation must carry; the fingerprint covers `covers`, or all but `leaves_out`."""

    key: KeyRule = KeyRule()
    covers: frozenset[str] = frozenset()
    leaves_out: frozenset[str] = frozenset()
    target: tuple[TargetRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """The greatest size of one part of a job; `alphabet` is a set of characters such as `a-z0-9`."""

    part: str
    size: int
    unit: Unit
    oversize: Oversize = Oversize.REFUSE
    alphabet: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes a lifecycle limits."""

    parts: tuple[Limit, ...] = ()

    def of(self, part: str) -> Limit | None:
        """The limit of one part, None where there is none."""
        return next((limit for limit in self.parts if limit.part == part), None)


@dataclass(frozen=True, slots=True)
class Transfers:
    """Where child transfers go, as (state, next state), when their job is cancelled or expires."""

    on_cancel: tuple[tuple[str, str], ...] = ()
    on_expire: tuple[tuple[str, str], ...] = ()
    keeps: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class History:
    """Which jobs may be pinned, softly deleted and pruned."""

    pin: Which = Which.ANY_STATE
    soft_delete: Which = Which.TERMINAL
    prune_by: frozenset[str] = frozenset({"age"})
    prune_exempts_pinned: bool = True
