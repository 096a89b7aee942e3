"""What must hold between the parts of a lifecycle before it may be stored."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Final

from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_graph import (
    Broken,
    dead_ends_are_ends,
    edges_lead_on,
    every_state_ends,
    every_state_is_reached,
    moves_are_edges,
    no_edge,
)
from tenure_server.domain.lifecycle_moves import moves
from tenure_server.domain.lifecycle_state import (
    Cancel,
    CancelKind,
    Expiry,
    ExpiryKind,
    LeaseRule,
    Outcome,
    State,
)
from tenure_server.domain.phase import Phase

FITTING: Final[Mapping[Outcome, Phase]] = {
    Outcome.SUCCESS: Phase.SUCCEEDED,
    Outcome.FAILURE: Phase.FAILED,
    Outcome.EXPIRED: Phase.FAILED,
    Outcome.INTERRUPTED: Phase.FAILED,
    Outcome.CANCELLED: Phase.CANCELLED,
}


Check = Callable[[Lifecycle], Iterator[Broken]]


def broken_rules(lifecycle: Lifecycle) -> Iterator[Broken]:
    """Everything wrong, in the order to mend it: a later check may rely on the earlier ones."""
    return chain.from_iterable(check(lifecycle) for check in _CHECKS)


def _known_states(lifecycle: Lifecycle) -> Iterator[Broken]:
    for path, names in _named_states(lifecycle):
        for name in names:
            if name not in lifecycle.states:
                known = ", ".join(lifecycle.states)
                yield Broken(path, f"there is no state {name}; the states are: {known}")


def _named_states(lifecycle: Lifecycle) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "initial", (lifecycle.initial,)
    yield "terminal", tuple(lifecycle.terminal)
    for key, edges in (("edges", lifecycle.edges), ("system_edges", lifecycle.system_edges)):
        for source, targets in edges.items():
            yield f"{key}.{source}", (source, *targets)
    yield "dead_ends", tuple(sorted(lifecycle.dead_ends))
    for move in moves(lifecycle):
        yield move.path, (move.source, move.target)
    yield from _states_of_verbs(lifecycle)


def _states_of_verbs(lifecycle: Lifecycle) -> Iterator[tuple[str, tuple[str, ...]]]:
    if lifecycle.attempts is not None:
        attempts = lifecycle.attempts
        yield "attempts.on_failure", (attempts.on_failure_to, attempts.exhausted)
    if lifecycle.retry is not None:
        yield "retry.to", (lifecycle.retry.to,)
    if lifecycle.pause is not None:
        yield "pause.cooperative", tuple(sorted(lifecycle.pause.cooperative))
    if lifecycle.deadline is not None:
        yield "deadline.to", (lifecycle.deadline.to,)
        yield "deadline.exempt", tuple(sorted(lifecycle.deadline.exempt))
    for key in ("max_pending", "max_active"):
        bound = getattr(lifecycle.capacity, key)
        yield f"capacity.{key}.of", tuple(sorted(bound.of)) if bound else ()


def _phases_fit(lifecycle: Lifecycle) -> Iterator[Broken]:
    if not lifecycle.terminal:
        yield Broken("terminal", "no job could ever end; name a terminal state and its outcome")
    if lifecycle.is_terminal(lifecycle.initial):
        yield Broken("initial", f"{lifecycle.initial} is terminal; start in a state that is not")
    for state in lifecycle.states.values():
        outcome = lifecycle.outcome(state.name)
        if outcome is None and state.phase.terminal:
            rule = f"{state.phase} is for terminal states; add {state.name} to terminal or change the phase"
            yield Broken(f"states.{state.name}.phase", rule)
        if outcome is not None and state.phase is not FITTING[outcome]:
            rule = f"the outcome {outcome} needs the phase {FITTING[outcome]}, not {state.phase}"
            yield Broken(f"states.{state.name}.phase", rule)


def _terminal_states_rest(lifecycle: Lifecycle) -> Iterator[Broken]:
    for name in lifecycle.terminal:
        state = lifecycle.state(name)
        if lifecycle.allowed(name):
            yield Broken(f"edges.{name}", f"{name} is terminal and leads nowhere; take its edges out")
        if state.leasable or state.lease is not LeaseRule.NONE:
            yield Broken(f"states.{name}", f"{name} is terminal, so nobody leases it; take the lease out")
        if state.cancel.path or state.cancel.kind is CancelKind.FLAG:
            yield Broken(f"states.{name}.cancel", f"{name} is terminal; write noop or a refusal")
        if state.on_lease_expiry != Expiry():
            yield Broken(
                f"states.{name}.on_lease_expiry", f"{name} is terminal and has no lease; take it out"
            )
        yield from _only_retry_leads_out(lifecycle, name)


def _only_retry_leads_out(lifecycle: Lifecycle, name: str) -> Iterator[Broken]:
    retry = lifecycle.retry
    for target in lifecycle.system_edges.get(name, ()):
        if retry is None or name not in retry.sources or target != retry.to:
            rule = f"only retry leads out of {name}, which is terminal; name the edge in retry or take it out"
            yield Broken(f"system_edges.{name}", rule)


def _acquire(lifecycle: Lifecycle) -> Iterator[Broken]:
    for state in lifecycle.states.values():
        path = f"states.{state.name}.acquire_to"
        if state.acquire_to is None:
            continue
        if not state.leasable:
            yield Broken(path, "only a leasable state can be acquired; add leasable: true")
        if lifecycle.is_terminal(state.acquire_to):
            yield Broken(path, f"{state.acquire_to} is terminal; acquire into a state where work can be done")


def _cancel_ends(lifecycle: Lifecycle) -> Iterator[Broken]:
    for path, cancel in _all_cancels(lifecycle):
        target = cancel.to
        if target is None:
            continue
        if cancel.kind is CancelKind.IMMEDIATE and not lifecycle.is_terminal(target):
            yield Broken(path, f"an immediate cancel ends the job, but {target} is not terminal")
        if cancel.kind is CancelKind.MOVE and lifecycle.is_terminal(target):
            yield Broken(path, f"{target} is terminal, so no worker can cooperate there; write immediate")


def _all_cancels(lifecycle: Lifecycle) -> Iterator[tuple[str, Cancel]]:
    for state in lifecycle.states.values():
        yield f"states.{state.name}.cancel", state.cancel
        if state.cancel_when_leased is not None:
            yield f"states.{state.name}.cancel.when_leased", state.cancel_when_leased


def _expiry_targets(lifecycle: Lifecycle) -> Iterator[Broken]:
    for state in lifecycle.states.values():
        for rule in _expiry_faults(lifecycle, state):
            yield Broken(f"states.{state.name}.on_lease_expiry", rule)


def _expiry_faults(lifecycle: Lifecycle, state: State) -> Iterator[str]:
    expiry = state.on_lease_expiry
    if expiry.to is not None:
        ends = expiry.kind in (ExpiryKind.INTERRUPT, ExpiryKind.FAIL)
        if lifecycle.is_terminal(expiry.to) is not ends:
            wanted = "a terminal state" if ends else "a state that is not terminal"
            yield f"{expiry.kind} needs {wanted}, which {expiry.to} is not"
    if expiry.exhausted is not None and not lifecycle.is_terminal(expiry.exhausted):
        yield f"exhausted ends the job, but {expiry.exhausted} is not terminal"


def _attempts(lifecycle: Lifecycle) -> Iterator[Broken]:
    attempts = lifecycle.attempts
    if attempts is None:
        return
    path = "attempts.on_failure"
    if lifecycle.is_terminal(attempts.on_failure_to):
        yield Broken(f"{path}.requeue", f"{attempts.on_failure_to} is terminal; requeue into one that is not")
    if not lifecycle.is_terminal(attempts.exhausted):
        yield Broken(f"{path}.exhausted", f"{attempts.exhausted} is not terminal, but ends the last attempt")
    if not any(attempts.exhausted in targets for targets in lifecycle.edges.values()):
        yield Broken(f"{path}.exhausted", f"no worker edge leads to {attempts.exhausted}, so none fails")


def _retry(lifecycle: Lifecycle) -> Iterator[Broken]:
    retry = lifecycle.retry
    if retry is None:
        return
    if not retry.sources:
        yield Broken("retry.from", "name at least one terminal state, or take retry out")
    for source in sorted(retry.sources):
        if not lifecycle.is_terminal(source):
            yield Broken("retry.from", f"{source} is not terminal; Retry is for jobs that have ended")
    if lifecycle.is_terminal(retry.to):
        yield Broken("retry.to", f"{retry.to} is terminal; retry into a state that is not")


def _pause(lifecycle: Lifecycle) -> Iterator[Broken]:
    pause, resume, target = lifecycle.pause, lifecycle.resume, lifecycle.pause_target()
    if pause is not None:
        if target is None:
            yield Broken("pause", "nothing says where a paused job rests; add edges, or a resume edge")
        if any(other != target for _, other in pause.edges):
            yield Broken("pause.edges", f"pause edges must lead to one state; the first leads to {target}")
        for source in sorted(pause.cooperative):
            if target is not None and not lifecycle.has_edge(source, target):
                rule = no_edge(source, target, "its worker takes it, so add it to edges")
                yield Broken("pause.cooperative", rule)
    if resume is not None and pause is not None and resume.source != target:
        yield Broken("resume.edge", f"a paused job rests in {target}, so resume must start there")


def _pause_is_not_terminal(lifecycle: Lifecycle) -> Iterator[Broken]:
    target = lifecycle.pause_target()
    if target is not None and lifecycle.is_terminal(target):
        yield Broken("pause", f"{target} is terminal; a paused job must be able to go on")


def _deadline(lifecycle: Lifecycle) -> Iterator[Broken]:
    deadline = lifecycle.deadline
    if deadline is not None and not lifecycle.is_terminal(deadline.to):
        yield Broken("deadline.to", f"{deadline.to} is not terminal, but the deadline ends the job")


_CHECKS: Final[tuple[Check, ...]] = (
    _known_states,
    _phases_fit,
    _terminal_states_rest,
    edges_lead_on,
    _acquire,
    _cancel_ends,
    _expiry_targets,
    _attempts,
    _retry,
    _pause,
    _pause_is_not_terminal,
    _deadline,
    moves_are_edges,
    dead_ends_are_ends,
    every_state_ends,
    every_state_is_reached,
)
