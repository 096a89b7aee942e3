"""A lifecycle as the text of a Mermaid state diagram."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_moves import Cause, moves

# Words with a meaning of their own in a Mermaid state diagram.
_RESERVED: Final = frozenset(
    {"as", "class", "click", "default", "direction", "end", "hide", "href"}
    | {"left", "note", "of", "right", "scale", "state", "style", "title"}
)


def diagram(lifecycle: Lifecycle) -> str:
    """Mermaid stateDiagram-v2 text: one arrow per edge, labelled with everything that takes it."""
    lines = chain(
        _declarations(lifecycle),
        [f"[*] --> {_identifier(lifecycle.initial)}"],
        _arrows(lifecycle),
        _ends(lifecycle),
    )
    return "\n    ".join(["stateDiagram-v2", *lines]) + "\n"


def _declarations(lifecycle: Lifecycle) -> Iterator[str]:
    for state in lifecycle.states.values():
        yield f'state "{state.name} ({state.phase})" as {_identifier(state.name)}'


def _arrows(lifecycle: Lifecycle) -> Iterator[str]:
    for (source, target), causes in _causes(lifecycle).items():
        label = ", ".join(causes) or "Tenure"
        yield f"{_identifier(source)} --> {_identifier(target)} : {label}"


def _causes(lifecycle: Lifecycle) -> dict[tuple[str, str], tuple[Cause, ...]]:
    """Every edge in the order of the states, with its causes in the order of `Cause`."""
    found: dict[tuple[str, str], set[Cause]] = {}
    for source in lifecycle.states:
        for target in (*lifecycle.edges[source], *lifecycle.system_edges[source]):
            found.setdefault((source, target), set())
    for move in moves(lifecycle):
        found[move.source, move.target].add(move.cause)
    return {edge: tuple(cause for cause in Cause if cause in causes) for edge, causes in found.items()}


def _ends(lifecycle: Lifecycle) -> Iterator[str]:
    for name in lifecycle.terminal:
        yield f"{_identifier(name)} --> [*]"


def _identifier(name: str) -> str:
    return f"S_{name}" if name in _RESERVED else name
