"""Random documents are refused with a place and a rule, or hold every rule that is checked on load."""

import re
from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tenure_server.domain.errors import LifecycleInvalid
from tenure_server.domain.lifecycle import Lifecycle, Outcome
from tenure_server.domain.lifecycle_diagram import diagram
from tenure_server.domain.lifecycle_document import built_ins, parse
from tenure_server.domain.phase import Phase

WORKING = ("a", "b", "c")
ENDED = {"x": "success", "y": "failure", "z": "cancelled"}
STATES = (*WORKING, *ENDED)
ENDING_PHASE = {
    Outcome.SUCCESS: Phase.SUCCEEDED,
    Outcome.FAILURE: Phase.FAILED,
    Outcome.EXPIRED: Phase.FAILED,
    Outcome.INTERRUPTED: Phase.FAILED,
    Outcome.CANCELLED: Phase.CANCELLED,
}
YAML_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
RESOLVED = {(lifecycle.name, lifecycle.version): lifecycle for lifecycle in built_ins()}

name = st.sampled_from(STATES)
working = st.sampled_from(WORKING)
ended = st.sampled_from(tuple(ENDED))
phase = st.sampled_from(["WAITING", "ACTIVE", "PARKED", "STOPPING"])
edges = st.fixed_dictionaries({one: st.lists(name, max_size=5, unique=True) for one in WORKING})


def rarely(fault: st.SearchStrategy[Any], usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A fault now and then: a document with ten places would else never be accepted."""
    return st.integers(0, 15).flatmap(lambda number: usual if number else fault)


def others(one: str) -> st.SearchStrategy[str]:
    return rarely(name, st.sampled_from([other for other in WORKING if other != one]))


def cancels(one: str) -> st.SearchStrategy[Any]:
    last = rarely(name, ended)
    path = st.tuples(last).map(list) | st.tuples(others(one), last).map(list)
    return st.one_of(
        st.just("noop"),
        st.just({"refused": "CANNOT_CANCEL"}),
        st.just({"cooperative": "flag"}),
        st.fixed_dictionaries({"cooperative": others(one)}),
        st.fixed_dictionaries(
            {"immediate": path}, optional={"when_leased": st.just({"cooperative": "flag"})}
        ),
    )


def expiries(one: str) -> st.SearchStrategy[Any]:
    last = rarely(name, ended)
    return st.one_of(
        st.just("reclaimable"),
        st.fixed_dictionaries({"park": others(one)}),
        st.fixed_dictionaries({"fail": last}),
        st.fixed_dictionaries({"requeue": others(one), "counts_attempt": st.just(True), "exhausted": last}),
    )


def working_state(one: str) -> st.SearchStrategy[dict[str, Any]]:
    usual = {"phase": phase, "cancel": cancels(one)}
    acquired = {**usual, "leasable": rarely(st.just(False), st.just(True)), "acquire_to": others(one)}
    return st.one_of(
        st.fixed_dictionaries(usual, optional={"on_lease_expiry": expiries(one)}),
        st.fixed_dictionaries(acquired, optional={"on_lease_expiry": expiries(one)}),
    )


states = st.fixed_dictionaries(
    {
        **{one: working_state(one) for one in WORKING},
        "x": st.just({"phase": "SUCCEEDED"}),
        "y": rarely(st.just({"phase": "FAILED", "leasable": True}), st.just({"phase": "FAILED"})),
        "z": rarely(st.just({"phase": "FAILED"}), st.just({"phase": "CANCELLED"})),
    }
)
failure = st.fixed_dictionaries({"requeue": working, "exhausted": rarely(name, ended)})
retry = st.fixed_dictionaries(
    {"from": st.lists(rarely(name, ended), min_size=1, max_size=2, unique=True), "to": working}
)
documents: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "name": st.just("random"),
        "version": st.just(1),
        "initial": rarely(name, st.just("a")),
        "terminal": st.just(ENDED),
        "states": states,
        "edges": edges,
    },
    optional={
        "system_edges": edges,
        "dead_ends": rarely(st.lists(name, max_size=1), st.just([])),
        "attempts": st.fixed_dictionaries({"on_failure": failure}),
        "retry": retry,
        "pause": st.fixed_dictionaries({"edges": st.lists(st.just(["a", "b"]), max_size=1)}),
        "resume": st.fixed_dictionaries({"edge": rarely(st.just(["c", "c"]), st.just(["b", "c"]))}),
        "deadline": st.fixed_dictionaries(
            {"to": rarely(name, ended)}, optional={"exempt": st.lists(working, max_size=2, unique=True)}
        ),
    },
)


def completed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every edge the system could need, so that more are accepted."""
    everywhere = {one: [other for other in STATES if other != one] for one in WORKING}
    trimmed = {one: [other for other in row if other != one] for one, row in document["edges"].items()}
    sources = document.get("retry", {}).get("from", [])
    back = {source: [document["retry"]["to"]] for source in sources if source in ENDED}
    return {**document, "edges": trimmed, "system_edges": {**everywhere, **back}}


def steps_of_verbs(lifecycle: Lifecycle) -> list[tuple[str, str]]:
    """Every step that a verb or a sweep may take, read from the values themselves."""
    steps = []
    for state in lifecycle.states.values():
        for policy in (state.cancel, state.cancel_when_leased):
            steps += list(pairwise((state.name, *policy.path))) if policy else []
        targets = (state.acquire_to, state.on_lease_expiry.to, state.on_lease_expiry.exhausted)
        steps += [(state.name, target) for target in targets if target]
    if lifecycle.retry:
        steps += [(source, lifecycle.retry.to) for source in lifecycle.retry.sources]
    if lifecycle.pause:
        steps += [*lifecycle.pause.edges]
    if lifecycle.resume:
        steps += [(lifecycle.resume.source, lifecycle.resume.target)]
    if lifecycle.deadline:
        unbound = set(lifecycle.states) - set(lifecycle.terminal) - lifecycle.deadline.exempt
        steps += [(source, lifecycle.deadline.to) for source in unbound]
    return steps


def assert_sound(lifecycle: Lifecycle) -> None:
    """Every rule of the language, worked out by other means than the code under test."""
    names, ends = set(lifecycle.states), set(lifecycle.terminal)
    assert lifecycle.initial in names - ends
    for state in lifecycle.states.values():
        outcome = lifecycle.outcome(state.name)
        assert state.phase is ENDING_PHASE[outcome] if outcome else not state.phase.terminal
        assert not (state.name in ends and (lifecycle.allowed(state.name) or state.leasable))
    everything = {
        (source, target)
        for table in (lifecycle.edges, lifecycle.system_edges)
        for source, targets in table.items()
        for target in targets
    }
    assert {one for edge in everything for one in edge} <= names
    assert set(steps_of_verbs(lifecycle)) <= everything
    assert_connected(lifecycle, everything)


def assert_connected(lifecycle: Lifecycle, edges: set[tuple[str, str]]) -> None:
    """Every state but a dead end is reached from the initial one and reaches an end."""
    reached, ending = {lifecycle.initial}, set(lifecycle.terminal)
    for _ in lifecycle.states:
        reached |= {target for source, target in edges if source in reached}
        ending |= {source for source, target in edges if target in ending}
    assert set(lifecycle.states) - lifecycle.dead_ends <= reached & (ending | lifecycle.dead_ends)


def judged(text: str) -> Lifecycle | None:
    """The lifecycle, if the text is one; any other exception than the refusal fails the test."""
    try:
        return parse(text, resolve=lambda name, version: RESOLVED.get((name, version)))
    except LifecycleInvalid as error:
        refused = error
    inherited = f"line {refused.line} of " in refused.message
    assert refused.rule
    assert str(refused).startswith("line ")
    assert inherited or 1 <= refused.line <= len(YAML_LINE_BREAK.findall(text)) + 1
    return None


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=st.one_of(documents, documents.map(completed)))
def test_a_random_document_is_refused_or_sound(document: dict[str, Any]) -> None:
    lifecycle = judged(yaml.safe_dump(document, sort_keys=False))

    event("accepted" if lifecycle else "refused")
    if lifecycle:
        assert_sound(lifecycle)
        assert diagram(lifecycle).startswith("stateDiagram-v2\n")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_built_in_with_one_line_changed_is_refused_or_sound(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(built_ins())).document.splitlines()
    index = data.draw(st.integers(0, len(lines) - 1))
    other = data.draw(st.sampled_from(lines) | st.text(max_size=20))

    changed = [
        *lines[:index],
        *data.draw(st.sampled_from([[], [other], [lines[index], other]])),
        *lines[index + 1 :],
    ]

    lifecycle = judged("\n".join(changed))
    if lifecycle:
        assert_sound(lifecycle)


@settings(max_examples=200, deadline=None)
@given(text=st.text() | st.text(alphabet="{}[]:,-&*!%\"'\\#|>?\n \tanx0U~<"))
def test_random_text_is_refused_with_a_line(text: str) -> None:
    assert judged(text) is None


@pytest.mark.parametrize("lifecycle", built_ins(), ids=str)
def test_every_built_in_is_sound(lifecycle: Lifecycle) -> None:
    assert_sound(lifecycle)
