"""Whether edges hold together: every move is one, and every state lies on a way to an end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_moves import moves


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold, at a path of the document, in words that tell what to mend."""

    path: str
    rule: str


def edges_lead_on(lifecycle: Lifecycle) -> Iterator[Broken]:
    """No edge leads back to its own state."""
    for key, edges in (("edges", lifecycle.edges), ("system_edges", lifecycle.system_edges)):
        for source, targets in edges.items():
            if source in targets:
                yield Broken(f"{key}.{source}", f"{source} -> {source} leads nowhere; take it out")


def moves_are_edges(lifecycle: Lifecycle) -> Iterator[Broken]:
    """Whatever a verb or a sweep may do is an edge or a system edge."""
    for move in moves(lifecycle):
        if not lifecycle.has_edge(move.source, move.target, system=True):
            yield Broken(move.path, no_edge(move.source, move.target, "add it to edges or system_edges"))


def dead_ends_are_ends(lifecycle: Lifecycle) -> Iterator[Broken]:
    """A named dead end is not terminal and gives a worker no way out."""
    for name in sorted(lifecycle.dead_ends):
        if lifecycle.is_terminal(name):
            yield Broken("dead_ends", f"{name} is terminal, which is an end already; take it out")
        if lifecycle.allowed(name):
            yield Broken("dead_ends", f"{name} has worker edges, so it is no dead end; take it out")


def every_state_ends(lifecycle: Lifecycle) -> Iterator[Broken]:
    """From every state a way leads to a terminal one, unless it is a named dead end."""
    backward: dict[str, set[str]] = {name: set() for name in lifecycle.states}
    for source, targets in _steps(lifecycle).items():
        for target in targets:
            backward[target].add(source)
    ending = _closure(set(lifecycle.terminal), backward)
    for name in lifecycle.states:
        if name not in ending and name not in lifecycle.dead_ends:
            rule = f"no way leads from {name} to a terminal state; add an edge or name it in dead_ends"
            yield Broken(f"states.{name}", rule)


def every_state_is_reached(lifecycle: Lifecycle) -> Iterator[Broken]:
    """A way leads from the initial state to every other but the named dead ends."""
    reached = _closure({lifecycle.initial}, _steps(lifecycle))
    for name in lifecycle.states:
        if name not in reached and name not in lifecycle.dead_ends:
            rule = f"no way leads from {lifecycle.initial} to {name}; add an edge or take the state out"
            yield Broken(f"states.{name}", rule)


def no_edge(source: str, target: str, mend: str) -> str:
    """The words for a step that is no edge, and how to mend it."""
    return f"{source} -> {target} is not an edge; {mend}"


def _steps(lifecycle: Lifecycle) -> dict[str, set[str]]:
    return {name: {*lifecycle.edges[name], *lifecycle.system_edges[name]} for name in lifecycle.states}


def _closure(start: set[str], steps: Mapping[str, set[str]]) -> set[str]:
    found, frontier = set(start), list(start)
    while frontier:
        fresh = steps[frontier.pop()] - found
        found |= fresh
        frontier.extend(fresh)
    return found
