"""The `states` of a document, read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tenure_server.domain.lifecycle_part import Part, Section
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
from tenure_server.domain.phase import Phase

CANCEL_REASONS: Final = ("CANNOT_CANCEL", "JOB_TERMINAL", "UNEXPECTED_STATE")
REPORT_REASONS: Final = ("UNEXPECTED_STATE", "JOB_TERMINAL", "LEASE_LOST")
MAX_STATES: Final = 64
# A refused transition lists the allowed states in the metadata of its error.
MAX_NAMES: Final = 1024

_CANCELLED = Failure("cancelled", "the job was cancelled")
_LEASE_EXPIRED = Failure("lease_expired", "the last holder's lease ran out")
_UNEXPECTED = Report(ReportKind.REJECT, "UNEXPECTED_STATE")
_STATE_KEYS = (
    "phase",
    "leasable",
    "acquire_to",
    "lease",
    "cancel",
    "on_lease_expiry",
    "progress",
    "checkpoint",
    "on_enter",
)


def read_states(part: Part, terminal: Mapping[str, Outcome]) -> Mapping[str, State]:
    """Every state in the order of the document; `terminal` gives ended states their default cancel."""
    entries = part.word_entries()
    if len(entries) > MAX_STATES:
        raise part.refuse(f"there are {len(entries)} states of at most {MAX_STATES}")
    if sum(len(name) + len(", ") for name in entries) > MAX_NAMES:
        raise part.refuse(f"the names of all states are longer than {MAX_NAMES} characters; shorten them")
    return MappingProxyType({name: _state(name, below, terminal) for name, below in entries.items()})


def read_failure(part: Part, default: Failure) -> Failure:
    """A message alone, or code, message, retryable and further details; unsaid words come from `default`."""
    if part.is_scalar:
        return Failure(default.code, part.text())
    section = Section(part, part.entries())
    known = ("code", "message", "retryable")
    details = tuple((key, below.text()) for key, below in section.entries.items() if key not in known)
    return Failure(
        code=section.read("code", Part.name, default.code),
        message=section.read("message", Part.text, default.message),
        retryable=section.read("retryable", Part.flag, False),
        details=details,
    )


def _state(name: str, part: Part, terminal: Mapping[str, Outcome]) -> State:
    section = part.section(*_STATE_KEYS)
    cancel, cancel_when_leased = _cancels(section, terminal.get(name))
    return State(
        name=name,
        phase=section.need("phase").choice(Phase),
        leasable=section.read("leasable", Part.flag, False),
        acquire_to=section.read("acquire_to", Part.word, None),
        lease=section.read("lease", lambda below: below.choice(LeaseRule), LeaseRule.NONE),
        cancel=cancel,
        cancel_when_leased=cancel_when_leased,
        on_lease_expiry=section.read("on_lease_expiry", _expiry, Expiry()),
        progress=section.read("progress", _progress, _UNEXPECTED),
        checkpoint=section.read("checkpoint", _checkpoint, _UNEXPECTED),
        on_enter=section.read("on_enter", _on_enter, OnEnter()),
    )


def _cancels(section: Section, outcome: Outcome | None) -> tuple[Cancel, Cancel | None]:
    if "cancel" in section:
        return _declared_cancels(section.need("cancel"))
    if outcome is None:
        raise section.part.refuse(
            "cancel is missing; say what it does here, such as {refused: CANNOT_CANCEL}"
        )
    if outcome is Outcome.CANCELLED:
        return Cancel(CancelKind.NOOP), None
    return Cancel(CancelKind.REFUSED, reason="JOB_TERMINAL"), None


def _declared_cancels(part: Part) -> tuple[Cancel, Cancel | None]:
    if part.is_scalar:
        return _cancel(part), None
    when_leased = part.entries().get("when_leased")
    return _cancel(part, "when_leased"), None if when_leased is None else _cancel(when_leased)


def _cancel(part: Part, *also_known: str) -> Cancel:
    if part.is_scalar:
        part.one_of(CancelKind.NOOP)
        return Cancel(CancelKind.NOOP)
    section = part.section("immediate", "cooperative", "refused", "error", *also_known)
    match section.only_one("immediate", "cooperative", "refused"):
        case "immediate":
            error = section.read("error", lambda below: read_failure(below, _CANCELLED), None)
            return Cancel(CancelKind.IMMEDIATE, _path(section.need("immediate")), error=error)
        case "cooperative":
            _refuse_error(section)
            return _cooperative(section.need("cooperative"))
        case "refused":
            _refuse_error(section)
            reason = section.need("refused").one_of(*CANCEL_REASONS)
            return Cancel(CancelKind.REFUSED, reason=reason)
        case _:
            raise part.refuse("say immediate, cooperative or refused, or write noop")


def _path(part: Part) -> tuple[str, ...]:
    path = part.words()
    if not path:
        raise part.refuse("the path is empty; name at least one state")
    return path


def _cooperative(part: Part) -> Cancel:
    target = part.word()
    return Cancel(CancelKind.FLAG) if target == CancelKind.FLAG else Cancel(CancelKind.MOVE, (target,))


def _refuse_error(section: Section) -> None:
    if "error" in section:
        raise section.need("error").refuse("only an immediate cancel gives the job an error; leave it out")


def _expiry(part: Part) -> Expiry:
    if part.is_scalar:
        part.one_of(ExpiryKind.RECLAIMABLE)
        return Expiry()
    entries = part.entries()
    if "requeue" in entries:
        return _requeue(part)
    if "park" in entries:
        return Expiry(ExpiryKind.PARK, part.section("park").need("park").word())
    return _ended(part)


def _requeue(part: Part) -> Expiry:
    section = part.section("requeue", "counts_attempt", "exhausted", "error")
    counts = section.read("counts_attempt", Part.flag, False)
    exhausted = section.read("exhausted", Part.word, None)
    if counts and exhausted is None:
        raise part.refuse("exhausted is missing; counts_attempt needs a state for a job that has none left")
    if not counts and ("exhausted" in section or "error" in section):
        raise part.refuse("exhausted and error are for counts_attempt: true; add it or leave them out")
    error = section.read("error", lambda below: read_failure(below, _LEASE_EXPIRED), None)
    return Expiry(ExpiryKind.REQUEUE, section.need("requeue").word(), counts, exhausted, error)


def _ended(part: Part) -> Expiry:
    section = part.section("interrupt", "fail", "error", "append_error")
    kind = section.only_one("interrupt", "fail")
    if kind is None:
        raise part.refuse("say requeue, park, interrupt or fail, or write reclaimable")
    section.only_one("error", "append_error")
    return Expiry(
        ExpiryKind(kind),
        section.need(kind).word(),
        error=section.read("error", lambda below: read_failure(below, _LEASE_EXPIRED), None),
        append_error=section.read("append_error", Part.text, None),
    )


def _progress(part: Part) -> Report:
    if part.is_scalar:
        return Report(ReportKind(part.one_of(ReportKind.ALLOW, ReportKind.IGNORE)))
    return _rejected(part)


def _checkpoint(part: Part) -> Report:
    if part.is_scalar:
        return Report(ReportKind(part.one_of(ReportKind.ALLOW)))
    return _rejected(part)


def _rejected(part: Part) -> Report:
    reason = part.section("reject").need("reject").one_of(*REPORT_REASONS)
    return Report(ReportKind.REJECT, reason)


def _on_enter(part: Part) -> OnEnter:
    flags = dict.fromkeys(("clear_lease", "clear_checkpoint", "progress_full"), False)
    label = None
    for item in part.items():
        if item.is_scalar and item.text().startswith("label:"):
            label = item.text().removeprefix("label:").strip()
            if not label:
                raise item.refuse("the label is empty; write it after label:")
        else:
            flags[item.one_of(*flags)] = True
    return OnEnter(**flags, label=label)
