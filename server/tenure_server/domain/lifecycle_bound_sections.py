"""The sections of a document about creating, counting, sizing and keeping jobs, read."""

from collections.abc import Callable
from typing import Final

from tenure_server.domain.lifecycle_bounds import (
    Bound,
    ByteBudget,
    Capacity,
    Create,
    History,
    KeyRule,
    KeyUse,
    Limit,
    Limits,
    Oversize,
    TargetRule,
    Transfers,
    Unit,
    Which,
    Within,
)
from tenure_server.domain.lifecycle_part import MAX_INT32, Part, Section

CAPACITY_REASONS: Final = ("QUEUE_FULL", "CONCURRENCY_LIMIT", "BYTE_BUDGET_EXCEEDED")
UNITS: Final = {
    "definition": Unit.BYTES,
    "payload": Unit.BYTES,
    "metadata": Unit.BYTES,
    "checkpoint": Unit.BYTES,
    "result": Unit.BYTES,
    "error": Unit.BYTES,
    "error_code": Unit.CHARACTERS,
    "error_message": Unit.CHARACTERS,
    "reason": Unit.CHARACTERS,
    "message": Unit.CHARACTERS,
    "label": Unit.CHARACTERS,
    "progress_message": Unit.CHARACTERS,
    "progress_label": Unit.CHARACTERS,
}
MAX_KEY = 512


def read_capacity(part: Part, non_terminal: frozenset[str]) -> Capacity:
    """`max_pending`, `max_active` and `byte_budget`, each if it is there."""
    section = part.section("max_pending", "max_active", "byte_budget")

    def bound(reason: str) -> Callable[[Part], Bound]:
        return lambda below: _bound(below, reason, non_terminal)

    return Capacity(
        max_pending=section.read("max_pending", bound("QUEUE_FULL"), None),
        max_active=section.read("max_active", bound("CONCURRENCY_LIMIT"), None),
        byte_budget=section.read("byte_budget", _byte_budget, None),
    )


def read_create(part: Part) -> Create:
    """Idempotency key, fingerprint and target of a creation."""
    section = part.section("idempotency_key", "fingerprint", "target")
    fingerprint = section.read("fingerprint", lambda below: below.section("covers", "leaves_out"), None)
    if fingerprint is not None:
        fingerprint.only_one("covers", "leaves_out")
    return Create(
        key=section.read("idempotency_key", _key_rule, KeyRule()),
        covers=_word_set(fingerprint, "covers"),
        leaves_out=_word_set(fingerprint, "leaves_out"),
        target=section.read("target", _target, ()),
    )


def read_limits(part: Part) -> Limits:
    """A size for each part of a job that has a bound."""
    return Limits(tuple(_limit(name, below) for name, below in part.section(*UNITS).entries.items()))


def read_transfers(part: Part) -> Transfers:
    """Where child transfers go when their job is cancelled or expires, and what they keep."""
    section = part.section("on_cancel", "on_expire", "keeps")
    return Transfers(
        on_cancel=section.read("on_cancel", _word_pairs, ()),
        on_expire=section.read("on_expire", _word_pairs, ()),
        keeps=section.read("keeps", Part.word_set, frozenset()),
    )


def read_history(part: Part) -> History:
    """Where pinning and soft deletion are offered, and by what jobs are pruned."""
    section = part.section("pin", "soft_delete", "prune")
    prune = section.read("prune", lambda below: below.section("by", "exempt"), None)
    default = History()
    return History(
        pin=section.read("pin", lambda below: below.choice(Which), default.pin),
        soft_delete=section.read("soft_delete", lambda below: below.choice(Which), default.soft_delete),
        prune_by=prune.read("by", _prune_by, default.prune_by) if prune else default.prune_by,
        prune_exempts_pinned=prune is None
        or prune.read("exempt", lambda below: below.one_of("pinned", "none"), "pinned") == "pinned",
    )


def _bound(part: Part, reason: str, non_terminal: frozenset[str]) -> Bound:
    section = part.section("count", "minimum", "of", "within", "reason")
    of = section.need("of")
    bound = Bound(
        count=section.need("count").count(),
        of=non_terminal if of.is_scalar and of.one_of("non_terminal") else of.word_set(),
        reason=section.read("reason", _capacity_reason, reason),
        minimum=section.read("minimum", Part.count, 0),
        within=section.read("within", lambda below: below.choice(Within), Within.SCOPE),
    )
    if bound.count < bound.minimum:
        raise section.need("minimum").refuse("minimum must not be above count")
    return bound


def _byte_budget(part: Part) -> ByteBudget:
    section = part.section("bytes", "active_reserve", "row_overhead", "within", "reason")
    return ByteBudget(
        bytes=section.need("bytes").integer(),
        reason=section.read("reason", _capacity_reason, "BYTE_BUDGET_EXCEEDED"),
        active_reserve=section.read("active_reserve", Part.integer, 0),
        row_overhead=section.read("row_overhead", Part.integer, 0),
        within=section.read("within", lambda below: below.choice(Within), Within.SCOPE),
    )


def _capacity_reason(part: Part) -> str:
    return part.one_of(*CAPACITY_REASONS)


def _key_rule(part: Part) -> KeyRule:
    if part.is_scalar:
        return KeyRule(use=part.choice(KeyUse))
    section = part.section("required", "characters", "bytes")
    use = KeyUse.REQUIRED if section.read("required", Part.flag, False) else KeyUse.OPTIONAL
    unit = section.only_one("characters", "bytes")
    if unit is None:
        return KeyRule(use)
    low, high = _range(section.need(unit))
    return KeyRule(use, low, high, Unit(unit))


def _range(part: Part) -> tuple[int, int]:
    numbers = [item.integer(1, MAX_KEY) for item in part.items()]
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise part.refuse("a length is the least and the most, such as [1, 128]")
    return numbers[0], numbers[1]


def _target(part: Part) -> tuple[TargetRule, ...]:
    return tuple(_target_rule(name, below) for name, below in part.word_entries().items())


def _target_rule(name: str, part: Part) -> TargetRule:
    if part.is_scalar:
        return TargetRule(name, required=part.one_of("required", "optional") == "required")
    return TargetRule(name, required_for=part.section("required_for").need("required_for").word_set())


def _limit(name: str, part: Part) -> Limit:
    if part.is_scalar:
        return Limit(name, part.integer(1, MAX_INT32), UNITS[name])
    section = part.section("bytes", "oversize", "characters")
    return Limit(
        part=name,
        size=section.need("bytes").integer(1, MAX_INT32),
        unit=Unit.BYTES,
        oversize=section.read("oversize", lambda below: below.choice(Oversize), Oversize.REFUSE),
        alphabet=section.read("characters", Part.text, None),
    )


def _word_pairs(part: Part) -> tuple[tuple[str, str], ...]:
    return tuple((key, below.word()) for key, below in part.word_entries().items())


def _word_set(section: Section | None, key: str) -> frozenset[str]:
    return section.read(key, Part.word_set, frozenset()) if section else frozenset()


def _prune_by(part: Part) -> frozenset[str]:
    return frozenset(item.one_of("age", "rows", "bytes") for item in part.items())
