"""docs/lifecycle-….md, one page for each built-in lifecycle, made from its document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tenure_server.domain.lifecycle import Cancel, CancelKind, Expiry, ExpiryKind, Lifecycle, Report, State
from tenure_server.domain.lifecycle_diagram import diagram
from tenure_server.domain.lifecycle_document import built_ins
from tools.generated import mark
from tools.markdown import table

FOLDER = PurePosixPath("docs")
SOURCE = "server/tenure_server/lifecycles"

_COLUMNS = ("state", "phase", "may be leased", "Cancel", "when its lease runs out", "progress", "checkpoint")


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the pages; `root` is not looked at, the documents are loaded from the package."""
    return {page_of(lifecycle): "\n".join(_page(lifecycle)).encode() for lifecycle in built_ins()}


def page_of(lifecycle: Lifecycle) -> PurePosixPath:
    """Return the path of a lifecycle's page."""
    return FOLDER / f"lifecycle-{lifecycle.name}.md"


def _page(lifecycle: Lifecycle) -> Iterator[str]:
    yield mark(f"{SOURCE}/{lifecycle.name}.yaml", "<!--", " -->")
    yield f"# Lifecycle {lifecycle.name}, version {lifecycle.version}\n"
    purpose = lifecycle.document.splitlines()[0].removeprefix("#").strip()
    yield f"{purpose} The words are explained in [lifecycles.md](lifecycles.md).\n"
    yield "An arrow says who takes it: a worker by Transition, a caller by a verb, or Tenure itself.\n"
    yield f"```mermaid\n{diagram(lifecycle)}```\n"
    yield table(_COLUMNS, [_row(lifecycle, state) for state in lifecycle.states.values()])
    yield f"## The document\n\n```yaml\n{lifecycle.document.rstrip()}\n```\n"


def _row(lifecycle: Lifecycle, state: State) -> tuple[str, ...]:
    cancel = _cancel(state.cancel)
    if state.cancel_when_leased is not None:
        cancel += f"; while leased: {_cancel(state.cancel_when_leased)}"
    expiry = "" if lifecycle.is_terminal(state.name) else _expiry(state.on_lease_expiry)
    reports = (_report(state.progress), _report(state.checkpoint))
    return f"`{state.name}`", state.phase.value, _leasable(state), cancel, expiry, *reports


def _leasable(state: State) -> str:
    if not state.leasable:
        return "no"
    return f"yes, goes to `{state.acquire_to}`" if state.acquire_to else "yes, stays"


def _cancel(cancel: Cancel) -> str:
    path = " → ".join(f"`{name}`" for name in cancel.path)
    match cancel.kind:
        case CancelKind.IMMEDIATE:
            return f"at once: {path}"
        case CancelKind.MOVE:
            return f"to {path}, where the holder ends it"
        case CancelKind.FLAG:
            return "asks the holder"
        case CancelKind.NOOP:
            return "changes nothing"
        case CancelKind.REFUSED:
            return f"refused: {cancel.reason}"


def _expiry(expiry: Expiry) -> str:
    if expiry.kind is ExpiryKind.RECLAIMABLE:
        return "stays, free"
    if not expiry.counts_attempt:
        return f"to `{expiry.to}`"
    return f"to `{expiry.to}`, the attempt counts; none left: `{expiry.exhausted}`"


def _report(report: Report) -> str:
    return f"refused: {report.reason}" if report.reason else report.kind.value
