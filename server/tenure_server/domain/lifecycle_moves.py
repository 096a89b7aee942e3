"""Every move a lifecycle lets anyone make, with its cause and the place in the document that says so."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from tenure_server.domain.lifecycle import Cancel, Lifecycle, State


class Cause(StrEnum):
    """Who or what makes a move, in the words a diagram shows."""

    ACQUIRE = "acquire"
    WORKER = "worker"
    FAILED_ATTEMPT = "attempts left"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    LEASE_EXPIRED = "lease expired"
    DEADLINE = "deadline"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Move:
    """One step from state to state; `path` leads to the key of the document that asks for it."""

    source: str
    target: str
    cause: Cause
    path: str


def moves(lifecycle: Lifecycle) -> Iterator[Move]:
    """Every move, by cause; the same edge may come more than once."""
    for source, targets in lifecycle.edges.items():
        for target in targets:
            yield Move(source, target, Cause.WORKER, f"edges.{source}")
    for state in lifecycle.states.values():
        yield from _state_moves(state)
    yield from _attempt_moves(lifecycle)
    yield from _pause_moves(lifecycle)
    yield from _deadline_moves(lifecycle)
    if lifecycle.retry is not None:
        for source in sorted(lifecycle.retry.sources):
            yield Move(source, lifecycle.retry.to, Cause.RETRY, "retry.to")


def _state_moves(state: State) -> Iterator[Move]:
    path = f"states.{state.name}"
    if state.acquire_to is not None:
        yield Move(state.name, state.acquire_to, Cause.ACQUIRE, f"{path}.acquire_to")
    yield from _cancel_moves(state.name, state.cancel, f"{path}.cancel")
    if state.cancel_when_leased is not None:
        yield from _cancel_moves(state.name, state.cancel_when_leased, f"{path}.cancel.when_leased")
    for target in (state.on_lease_expiry.to, state.on_lease_expiry.exhausted):
        if target is not None:
            yield Move(state.name, target, Cause.LEASE_EXPIRED, f"{path}.on_lease_expiry")


def _cancel_moves(source: str, cancel: Cancel, path: str) -> Iterator[Move]:
    for before, after in pairwise((source, *cancel.path)):
        yield Move(before, after, Cause.CANCEL, path)


def _attempt_moves(lifecycle: Lifecycle) -> Iterator[Move]:
    attempts = lifecycle.attempts
    if attempts is None:
        return
    for source, targets in lifecycle.edges.items():
        if attempts.exhausted in targets:
            yield Move(source, attempts.on_failure_to, Cause.FAILED_ATTEMPT, "attempts.on_failure.requeue")


def _pause_moves(lifecycle: Lifecycle) -> Iterator[Move]:
    if lifecycle.pause is not None:
        for source, target in lifecycle.pause.edges:
            yield Move(source, target, Cause.PAUSE, "pause.edges")
    if lifecycle.resume is not None:
        yield Move(lifecycle.resume.source, lifecycle.resume.target, Cause.RESUME, "resume.edge")


def _deadline_moves(lifecycle: Lifecycle) -> Iterator[Move]:
    deadline = lifecycle.deadline
    if deadline is None:
        return
    for name in lifecycle.states:
        if not lifecycle.is_terminal(name) and name not in deadline.exempt:
            yield Move(name, deadline.to, Cause.DEADLINE, "deadline.to")
