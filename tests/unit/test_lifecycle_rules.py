"""Each rule that is checked on load, broken once."""

import pytest

from tenure_server.domain.errors import LifecycleInvalid
from tenure_server.domain.lifecycle_document import parse
from tests.unit.lifecycle_texts import BASE, changed, line_of, refusal

# What to replace, by what, where the error points, and what it says.
BROKEN = {
    "unknown initial": ("initial: waiting", "initial: nowhere", "initial", "there is no state nowhere"),
    "terminal initial": ("initial: waiting", "initial: done", "initial", "done is terminal"),
    "unknown terminal": ("done: success,", "done: success, gone: failure,", "terminal", "no state gone"),
    "terminal phase of a working state": (
        "phase: ACTIVE",
        "phase: FAILED",
        "states.working.phase",
        "FAILED is for terminal states",
    ),
    "working phase of a terminal state": (
        "done: {phase: SUCCEEDED}",
        "done: {phase: ACTIVE}",
        "states.done.phase",
        "the outcome success needs the phase SUCCEEDED, not ACTIVE",
    ),
    "edges of a terminal state": (
        "  resting: [waiting, dropped]",
        "  resting: [waiting, dropped]\n  done: [waiting]",
        "edges.done",
        "done is terminal and leads nowhere",
    ),
    "a leased terminal state": (
        "done: {phase: SUCCEEDED}",
        "done: {phase: SUCCEEDED, leasable: true}",
        "states.done",
        "nobody leases it",
    ),
    "cancelling a terminal state": (
        "done: {phase: SUCCEEDED}",
        "done: {phase: SUCCEEDED, cancel: {cooperative: flag}}",
        "states.done.cancel",
        "write noop or a refusal",
    ),
    "expiry in a terminal state": (
        "done: {phase: SUCCEEDED}",
        "done: {phase: SUCCEEDED, on_lease_expiry: {park: resting}}",
        "states.done.on_lease_expiry",
        "done is terminal and has no lease",
    ),
    "a system edge out of a terminal state": (
        "broken: [waiting]",
        "broken: [waiting, resting]",
        "system_edges.broken",
        "only retry leads out of broken",
    ),
    "unknown source of an edge": (
        "  resting: [waiting",
        "  sleeping: [waiting",
        "edges.sleeping",
        "no state sleeping",
    ),
    "unknown target of an edge": ("[done, broken,", "[gone, broken,", "edges.working", "no state gone"),
    "unknown target of a system edge": (
        "{working: [waiting]",
        "{working: [gone]",
        "system_edges.working",
        "no state gone",
    ),
    "an edge to itself": ("[working, dropped]", "[working, waiting]", "edges.waiting", "leads nowhere"),
    "acquire without an edge": (
        "acquire_to: working",
        "acquire_to: resting",
        "states.waiting.acquire_to",
        "waiting -> resting is not an edge; add it to edges or system_edges",
    ),
    "acquire what is not leasable": (
        "leasable: true",
        "leasable: false",
        "states.waiting.acquire_to",
        "add leasable: true",
    ),
    "acquire into an end": (
        "acquire_to: working",
        "acquire_to: dropped",
        "states.waiting.acquire_to",
        "dropped is terminal",
    ),
    "cancel without an edge": (
        "cancel: {cooperative: flag}",
        "cancel: {immediate: [resting, broken]}",
        "states.working.cancel",
        "resting -> broken is not an edge",
    ),
    "cancel that does not end": (
        "cancel: {cooperative: flag}",
        "cancel: {immediate: [resting]}",
        "states.working.cancel",
        "resting is not terminal",
    ),
    "cooperation in a terminal state": (
        "cancel: {cooperative: flag}",
        "cancel: {cooperative: dropped}",
        "states.working.cancel",
        "write immediate",
    ),
    "cancel while leased without an edge": (
        "cancel: {cooperative: flag}",
        "cancel: {immediate: [dropped], when_leased: {cooperative: gone}}",
        "states.working.cancel.when_leased",
        "no state gone",
    ),
    "expiry without an edge": (
        "resting: {phase: PARKED,",
        "resting: {phase: PARKED, on_lease_expiry: {requeue: working},",
        "states.resting.on_lease_expiry",
        "resting -> working is not an edge; add it to edges or system_edges",
    ),
    "exhaustion without an edge": (
        "resting: {phase: PARKED,",
        "resting: {phase: PARKED, on_lease_expiry:"
        " {requeue: waiting, counts_attempt: true, exhausted: broken},",
        "states.resting.on_lease_expiry",
        "resting -> broken is not an edge",
    ),
    "a failed attempt without an edge": (
        "system_edges: {working: [waiting], broken: [waiting]}\nattempts: {on_failure: {requeue: waiting,",
        "system_edges: {broken: [waiting]}\nattempts: {on_failure: {requeue: waiting,",
        "states.working.on_lease_expiry",
        "working -> waiting is not an edge",
    ),
    "expiry that requeues into an end": (
        "{requeue: waiting, counts",
        "{requeue: dropped, counts",
        "states.working.on_lease_expiry",
        "requeue needs a state that is not terminal, which dropped is not",
    ),
    "expiry that fails into a state that goes on": (
        "{requeue: waiting, counts_attempt: true, exhausted: broken}",
        "{fail: resting}",
        "states.working.on_lease_expiry",
        "fail needs a terminal state",
    ),
    "exhausted that goes on": (
        "counts_attempt: true, exhausted: broken",
        "counts_attempt: true, exhausted: resting",
        "states.working.on_lease_expiry",
        "exhausted ends the job",
    ),
    "attempts that never fail": (
        "{on_failure: {requeue: waiting, exhausted: broken}}",
        "{on_failure: {requeue: waiting, exhausted: resting}}",
        "attempts.on_failure.exhausted",
        "resting is not terminal",
    ),
    "retry of a job that goes on": (
        "{from: [broken],",
        "{from: [broken, resting],",
        "retry.from",
        "jobs that have ended",
    ),
    "retry from nowhere": (
        "broken: [waiting]}\nattempts: {on_failure: {requeue: waiting, exhausted: broken}}",
        "resting: [working]}",
        "retry.to",
        "broken -> waiting is not an edge",
    ),
    "retry without a source": ("{from: [broken],", "{from: [],", "system_edges.broken", "only retry"),
    "a cooperative state without an edge": (
        "{cooperative: [working]}",
        "{cooperative: [waiting]}",
        "pause.cooperative",
        "waiting -> resting is not an edge; its worker takes it",
    ),
    "a pause that rests nowhere": (
        "resume: {edge: [resting, waiting]}\n",
        "",
        "pause",
        "nothing says where a paused job rests",
    ),
    "pauses that rest in two states": (
        "{cooperative: [working]}",
        "{edges: [[working, resting], [resting, waiting]]}",
        "pause.edges",
        "must lead to one state",
    ),
    "resume from somewhere else": (
        "{edge: [resting, waiting]}\n",
        "{edge: [waiting, working]}\n",
        "pause.cooperative",
        "working -> waiting is not an edge",
    ),
    "resume without an edge": (
        "{edge: [resting, waiting]}\n",
        "{edge: [resting, working]}\n",
        "resume.edge",
        "resting -> working is not an edge",
    ),
    "a deadline that goes on": (
        "retry: {",
        "deadline: {after: 1h, to: resting}\nretry: {",
        "deadline.to",
        "the deadline ends the job",
    ),
    "a deadline without an edge": (
        "retry: {",
        "deadline: {after: 1h, to: broken}\nretry: {",
        "deadline.to",
        "waiting -> broken is not an edge",
    ),
    "an unknown exempt state": (
        "retry: {",
        "deadline: {to: dropped, exempt: [gone]}\nretry: {",
        "deadline.exempt",
        "no state gone",
    ),
    "an unknown bounded state": (
        "retry: {",
        "capacity: {max_active: {count: 1, of: [gone]}}\nretry: {",
        "capacity.max_active.of",
        "no state gone",
    ),
    "a state that never ends": (
        "  done: {phase: SUCCEEDED}",
        "  lost: {phase: ACTIVE, cancel: noop}\n  done: {phase: SUCCEEDED}",
        "states.lost",
        "no way leads from lost to a terminal state; add an edge or name it in dead_ends",
    ),
    "a dead end with a way out": (
        "retry: {",
        "dead_ends: [resting]\nretry: {",
        "dead_ends",
        "resting has worker edges",
    ),
    "a terminal dead end": ("retry: {", "dead_ends: [done]\nretry: {", "dead_ends", "an end already"),
}


@pytest.mark.parametrize("old,new,path,rule", BROKEN.values(), ids=BROKEN)
def test_a_document_that_breaks_a_rule_is_refused_with_path_and_rule(
    old: str, new: str, path: str, rule: str
) -> None:
    text = changed(old, new)

    refused = refusal(text)

    assert refused.field == path
    assert rule in refused.rule
    assert str(refused) == f"line {refused.line}: {path}: {refused.rule}"


def test_the_text_that_all_others_break_is_a_lifecycle() -> None:
    assert parse(BASE).name == "base"


@pytest.mark.parametrize(
    "old,new,part",
    [
        ("done: {phase: SUCCEEDED}", "done: {phase: ACTIVE}", "done: {phase"),
        ("acquire_to: working", "acquire_to: resting", "acquire_to"),
        ("  working: [done, broken, dropped, resting]", "  working: [done, lost]", "working: [done"),
        ("edge: [resting, waiting]", "edge: [resting, working]", "resume"),
    ],
)
def test_a_broken_rule_names_the_line_to_mend(old: str, new: str, part: str) -> None:
    text = changed(old, new)

    refused = refusal(text)

    assert refused.line == line_of(part, text)
    assert refused.metadata["line"] == str(refused.line)


def test_a_state_that_nothing_enters_is_refused() -> None:
    text = changed("  done: {phase", "  lost: {phase: ACTIVE, cancel: noop}\n  done: {phase")
    text = changed("  resting: [waiting, dropped]", "  resting: [waiting, dropped]\n  lost: [dropped]", text)

    with pytest.raises(LifecycleInvalid, match=r"states\.lost: no way leads from waiting to lost"):
        parse(text)


def test_a_named_dead_end_needs_no_way_in_and_no_way_out() -> None:
    text = changed("  done: {phase", "  lost: {phase: ACTIVE, cancel: noop}\n  done: {phase")

    lifecycle = parse(text + "dead_ends: [lost]\n")

    assert lifecycle.dead_ends == {"lost"}


def test_a_lifecycle_without_a_terminal_state_is_refused() -> None:
    text = "name: a\nversion: 1\ninitial: x\nterminal: {}\nstates: {x: {phase: ACTIVE, cancel: noop}}\n"

    with pytest.raises(LifecycleInvalid, match="line 4: terminal: no job could ever end"):
        parse(f"{text}edges: {{}}\n")
