"""The judge of edges, over every pair of states of every built-in."""

from itertools import product

import pytest

from tenure_server.domain.errors import IllegalTransition
from tenure_server.domain.lifecycle import Lifecycle, Outcome, UnknownState
from tenure_server.domain.lifecycle_document import built_ins
from tenure_server.domain.phase import Phase

BUILT_INS = {lifecycle.name: lifecycle for lifecycle in built_ins()}
PAIRS = [
    pytest.param(lifecycle, source, target, id=f"{lifecycle.name}:{source}->{target}")
    for lifecycle in BUILT_INS.values()
    for source, target in product(lifecycle.states, repeat=2)
]


@pytest.mark.parametrize("lifecycle,source,target", PAIRS)
def test_an_edge_is_allowed_exactly_if_the_document_lists_it(
    lifecycle: Lifecycle, source: str, target: str
) -> None:
    if target in lifecycle.allowed(source):
        lifecycle.require_edge("j", source, target)
    else:
        with pytest.raises(IllegalTransition) as refused:
            lifecycle.require_edge("j", source, target)
        assert refused.value.metadata["from"] == source
        assert refused.value.metadata["to"] == target
        assert refused.value.metadata["allowed"] == ", ".join(lifecycle.allowed(source))


ENDS = "cancelled expired failed"
TABLES = {
    "standard": {
        "pending": "running cancelled paused",
        "running": "succeeded failed cancelled paused",
        "paused": "pending cancelled",
    },
    "migration-import": {
        "pending": f"preparing {ENDS}",
        "preparing": f"transferring {ENDS}",
        "transferring": f"validating {ENDS}",
        "validating": f"ready_to_activate {ENDS}",
        "ready_to_activate": f"activating {ENDS}",
        "activating": "completed failed",
    },
    "migration-export": {
        "pending": f"preparing {ENDS}",
        "preparing": f"transferring {ENDS}",
        "transferring": f"validating {ENDS}",
        "validating": f"completed {ENDS}",
    },
    "image": {"queued": "running cancelled", "running": "succeeded failed cancelled interrupted"},
    "build-publish": {
        "pending": "running cancelling",
        "running": "paused cancelling rolling_back succeeded",
        "paused": "pending cancelling",
        "cancelling": "rolling_back failed",
        "rolling_back": "failed",
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_the_legal_edges_are_those_of_the_table_and_no_other(name: str) -> None:
    lifecycle = BUILT_INS[name]

    legal = {pair for pair in product(lifecycle.states, repeat=2) if lifecycle.has_edge(*pair)}

    assert legal == {(source, target) for source, row in TABLES[name].items() for target in row.split()}


@pytest.mark.parametrize("lifecycle", BUILT_INS.values(), ids=str)
def test_a_worker_never_leaves_a_terminal_state(lifecycle: Lifecycle) -> None:
    for name in lifecycle.terminal:
        assert lifecycle.allowed(name) == ()
        assert lifecycle.is_terminal(name)
        assert lifecycle.state(name).phase.terminal


def test_allowed_targets_come_in_the_order_of_the_document() -> None:
    assert BUILT_INS["standard"].allowed("running") == ("succeeded", "failed", "cancelled", "paused")


def test_a_system_edge_is_not_a_workers_edge() -> None:
    standard = BUILT_INS["standard"]

    assert not standard.has_edge("running", "pending")
    assert standard.has_edge("running", "pending", system=True)
    with pytest.raises(IllegalTransition):
        standard.require_edge("j", "running", "pending")


def test_system_includes_a_workers_edges() -> None:
    assert BUILT_INS["standard"].has_edge("running", "succeeded", system=True)


def test_an_export_waiting_to_activate_can_be_cancelled_by_tenure_only() -> None:
    export = BUILT_INS["migration-export"]

    assert not export.has_edge("ready_to_activate", "cancelled")
    assert export.has_edge("ready_to_activate", "cancelled", system=True)


def test_a_word_the_lifecycle_never_had_is_an_unknown_state() -> None:
    standard = BUILT_INS["standard"]

    with pytest.raises(UnknownState, match="lifecycle standard version 1 has no state lost"):
        standard.state("lost")
    with pytest.raises(UnknownState):
        standard.require_edge("j", "lost", "pending")


def test_an_unknown_target_is_an_illegal_transition() -> None:
    with pytest.raises(IllegalTransition, match="cannot go from pending to lost"):
        BUILT_INS["standard"].require_edge("j", "pending", "lost")


def test_an_unknown_word_has_no_edges_and_no_outcome() -> None:
    standard = BUILT_INS["standard"]

    assert standard.allowed("lost") == ()
    assert not standard.has_edge("lost", "pending", system=True)
    assert standard.outcome("lost") is None
    assert not standard.is_terminal("lost")


@pytest.mark.parametrize(
    "name,cancelled,paused",
    [
        ("standard", "cancelled", "paused"),
        ("migration-import", "cancelled", None),
        ("image", "cancelled", None),
        ("build-publish", None, "paused"),
    ],
)
def test_a_lifecycle_names_its_cancelled_and_its_paused_state(
    name: str, cancelled: str | None, paused: str | None
) -> None:
    assert BUILT_INS[name].cancelled_state() == cancelled
    assert BUILT_INS[name].pause_target() == paused


def test_a_terminal_state_tells_its_outcome() -> None:
    imports = BUILT_INS["migration-import"]

    assert imports.outcome("completed") is Outcome.SUCCESS
    assert imports.outcome("expired") is Outcome.EXPIRED
    assert imports.outcome("pending") is None


def test_a_lifecycle_and_its_states_can_be_keys() -> None:
    standard = BUILT_INS["standard"]

    assert {standard: 1}[standard] == 1
    assert len({hash(state) for state in standard.states.values()}) == len(standard.states)


def test_three_phases_are_terminal() -> None:
    assert [phase for phase in Phase if phase.terminal] == [Phase.SUCCEEDED, Phase.FAILED, Phase.CANCELLED]
