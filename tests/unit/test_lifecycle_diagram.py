"""The picture of a lifecycle."""

import pytest

from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_diagram import diagram
from tenure_server.domain.lifecycle_document import built_ins, parse
from tests.unit.lifecycle_texts import BASE


def test_a_diagram_shows_every_edge_with_what_takes_it() -> None:
    lines = [line.strip() for line in diagram(parse(BASE)).splitlines()]

    assert lines == [
        "stateDiagram-v2",
        'state "waiting (WAITING)" as waiting',
        'state "working (ACTIVE)" as working',
        'state "resting (PARKED)" as resting',
        'state "done (SUCCEEDED)" as done',
        'state "broken (FAILED)" as broken',
        'state "dropped (CANCELLED)" as dropped',
        "[*] --> waiting",
        "waiting --> working : acquire, worker",
        "waiting --> dropped : worker, cancel",
        "working --> done : worker",
        "working --> broken : worker, lease expired",
        "working --> dropped : worker",
        "working --> resting : worker",
        "working --> waiting : attempts left, lease expired",
        "resting --> waiting : worker, resume",
        "resting --> dropped : worker, cancel",
        "broken --> waiting : retry",
        "done --> [*]",
        "broken --> [*]",
        "dropped --> [*]",
    ]


@pytest.mark.parametrize("lifecycle", built_ins(), ids=str)
def test_every_edge_of_a_built_in_has_one_arrow(lifecycle: Lifecycle) -> None:
    text = diagram(lifecycle)

    edges = {
        f"    {source} --> {target} : "
        for source in lifecycle.states
        for target in (*lifecycle.edges[source], *lifecycle.system_edges[source])
    }
    assert {text.count(edge) for edge in edges} == {1}
    assert text.count(" --> ") == len(edges) + 1 + len(lifecycle.terminal)


def test_a_state_named_like_a_mermaid_word_gets_another_identifier() -> None:
    text = diagram(parse(BASE.replace("done", "end")))

    assert 'state "end (SUCCEEDED)" as S_end' in text
    assert "working --> S_end : worker" in text


def test_an_edge_that_nothing_takes_yet_belongs_to_tenure() -> None:
    text = diagram(parse(BASE.replace("{working: [waiting],", "{working: [waiting], waiting: [resting],")))

    assert "waiting --> resting : Tenure" in text
