"""A lifecycle document: YAML text to a Lifecycle, or one error that names the line and the rule."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

import yaml

from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_bound_sections import (
    read_capacity,
    read_create,
    read_history,
    read_limits,
    read_transfers,
)
from tenure_server.domain.lifecycle_bounds import Capacity, Create, History, Limits, Transfers
from tenure_server.domain.lifecycle_part import MAX_INT32, Part, Section
from tenure_server.domain.lifecycle_rules import broken_rules
from tenure_server.domain.lifecycle_state import Outcome
from tenure_server.domain.lifecycle_state_section import read_states
from tenure_server.domain.lifecycle_verb_sections import (
    read_attempts,
    read_deadline,
    read_lease,
    read_pause,
    read_resume,
    read_retry,
)
from tenure_server.domain.lifecycle_yaml import compose

Resolve = Callable[[str, int], Lifecycle | None]

MAX_EXTENDS: Final = 8
KEYS: Final = (
    "name",
    "version",
    "extends",
    "create",
    "initial",
    "terminal",
    "lease",
    "states",
    "edges",
    "system_edges",
    "dead_ends",
    "attempts",
    "pause",
    "resume",
    "retry",
    "phases",
    "deadline",
    "capacity",
    "transfers",
    "limits",
    "history",
)
_OWN_KEYS: Final = ("name", "version")


def parse(text: str, *, resolve: Resolve | None = None) -> Lifecycle:
    """The lifecycle that `text` declares, of at most 64 KiB.

    `extends` takes every top-level key that `text` does not say from the document that `resolve`
    finds by name and version; a key said as null is left out. Raises LifecycleInvalid.
    """
    root = Part(compose(text), "")
    extends = _extends(root)
    if extends is not None:
        root = Part(_merged(root, extends, resolve), "")
    lifecycle = _read(root, extends, text)
    for broken in broken_rules(lifecycle):
        raise Part(root.nearest(broken.path).node, broken.path).refuse(broken.rule)
    return lifecycle


@cache
def built_ins() -> tuple[Lifecycle, ...]:
    """The lifecycles that come with Tenure, one file each; what is extended comes first."""
    folder = resources.files("tenure_server") / "lifecycles"
    texts = {
        entry.name.removesuffix(".yaml"): entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".yaml")
    }
    found: dict[str, Lifecycle] = {}

    def load(name: str) -> Lifecycle:
        if name not in found:
            found[name] = parse(texts[name], resolve=resolve)
        return found[name]

    def resolve(name: str, version: int) -> Lifecycle | None:
        return known if name in texts and (known := load(name)).version == version else None

    for name in texts:
        load(name)
    return tuple(found.values())


def _extends(root: Part) -> tuple[str, int] | None:
    part = root.entries().get("extends")
    if part is None or part.is_null:
        return None
    section = part.section("name", "version")
    return section.need("name").name(), section.need("version").integer(1, MAX_INT32)


def _merged(
    root: Part, extends: tuple[str, int], resolve: Resolve | None, depth: int = 1
) -> yaml.MappingNode:
    """The keys of `root` before those of everything it extends, each with its own line and origin."""
    part = root.entries()["extends"]
    if depth > MAX_EXTENDS:
        raise part.refuse(f"a document extends at most {MAX_EXTENDS} others in a row")
    parent = resolve(*extends) if resolve else None
    if parent is None:
        raise part.refuse("there is no lifecycle {} version {} to extend; store it first".format(*extends))
    base = Part(compose(parent.document, str(parent)), "")
    if parent.extends is not None:
        base = Part(_merged(base, parent.extends, resolve, depth + 1), "")
    said = root.entries()
    taken = [
        (key, value)
        for key, value in base.node.value
        if key.value not in said and key.value not in (*_OWN_KEYS, "extends")
    ]
    node = root.node
    return yaml.MappingNode(node.tag, [*node.value, *taken], node.start_mark, node.end_mark)


def _read(root: Part, extends: tuple[str, int] | None, text: str) -> Lifecycle:
    section = _without_nulls(root.section(*KEYS))
    terminal = _terminal(section.need("terminal"))
    states = read_states(section.need("states"), terminal)
    non_terminal = frozenset(states) - frozenset(terminal)
    return Lifecycle(
        name=section.need("name").name(),
        version=section.need("version").integer(1, MAX_INT32),
        initial=section.need("initial").word(),
        terminal=terminal,
        states=states,
        edges=_edges(section.need("edges"), states),
        system_edges=section.read("system_edges", lambda part: _edges(part, states), _edges(None, states)),
        dead_ends=section.read("dead_ends", Part.word_set, frozenset()),
        attempts=section.read("attempts", read_attempts, None),
        retry=section.read("retry", read_retry, None),
        pause=section.read("pause", read_pause, None),
        resume=section.read("resume", read_resume, None),
        phases=section.read("phases", Part.words, ()),
        deadline=section.read("deadline", read_deadline, None),
        capacity=section.read("capacity", lambda part: read_capacity(part, non_terminal), Capacity()),
        create=section.read("create", read_create, Create()),
        limits=section.read("limits", read_limits, Limits()),
        transfers=section.read("transfers", read_transfers, Transfers()),
        history=section.read("history", read_history, History()),
        lease=section.read("lease", read_lease, None),
        extends=extends,
        document=text,
    )


def _without_nulls(section: Section) -> Section:
    return Section(section.part, {key: part for key, part in section.entries.items() if not part.is_null})


def _terminal(part: Part) -> Mapping[str, Outcome]:
    return MappingProxyType({name: below.choice(Outcome) for name, below in part.word_entries().items()})


def _edges(part: Part | None, states: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    edges: dict[str, tuple[str, ...]] = dict.fromkeys(states, ())
    for source, below in (part.word_entries() if part else {}).items():
        edges[source] = below.words()
    return MappingProxyType(edges)
