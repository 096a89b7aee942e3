"""A holder moves its job along the lifecycle."""

from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from tenure_server.domain.arrival import arrive, cancelled_instead, paused_instead
from tenure_server.domain.change import (
    KEEP,
    REPLAYED,
    Change,
    Decision,
    EventReason,
    LeaseChange,
    ProgressChange,
    Step,
)
from tenure_server.domain.command import Move
from tenure_server.domain.job import Directive, Document, DocumentKind, JobHead, encode_failure
from tenure_server.domain.lease_rules import require_lease, require_version
from tenure_server.domain.lifecycle import Attempts, LeaseRule, Lifecycle
from tenure_server.domain.retry import next_attempt_time


def move(asked: Move, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Take the edge to `asked.to`; a failed attempt goes back to waiting while attempts are left.

    The edge is judged before the lease. The same token and target again changes nothing.
    """
    if asked.token and asked.token == head.lease_token and asked.to == head.lease_target:
        return REPLAYED
    lifecycle.require_edge(head.id, head.state, asked.to)
    if asked.token or lifecycle.state(head.state).lease is not LeaseRule.OPTIONAL:
        require_lease(head, lifecycle, asked.token, at)
    require_version(head, asked.expected_version)
    again = lifecycle.attempts
    if again is not None and asked.to == again.exhausted and _may_try_again(asked, head, lifecycle):
        change = _another_attempt(again, head, lifecycle, at)
    else:
        change = _moved(lifecycle, head.state, asked.to, head.attempt == 1)
    if change.lease is LeaseChange.KEEP:
        change = replace(change, heartbeat=True)
    if asked.progress is not None:
        change = replace(change, progress=ProgressChange.REPLACE)
    if asked.phase_index is not None:
        change = replace(change, phase_index=asked.phase_index)
    if head.directive == Directive.PAUSE and change.state == lifecycle.pause_target():
        change = replace(change, directive=None)
    return Decision(
        change, holder=head.lease_holder, progress=asked.progress, documents=_documents(asked, change)
    )


@lru_cache(maxsize=4096)
def _moved(lifecycle: Lifecycle, source: str, target: str, first_attempt: bool) -> Change:
    steps = (Step(source, target, EventReason.MOVED),)
    change = replace(arrive(lifecycle, target, steps, lease=LeaseChange.KEEP), lease_target=target)
    if change.lease is LeaseChange.FORGET:
        # The mover's token stays, so that the same call again is recognised.
        change = replace(change, lease=LeaseChange.DROP)
    if first_attempt and change.removed_documents:
        return replace(change, removed_documents=_without_error(change))
    return change


def _without_error(change: Change) -> tuple[str, ...]:
    """A first attempt has no earlier error to remove."""
    return tuple(kind for kind in change.removed_documents if kind != DocumentKind.ERROR)


def _may_try_again(asked: Move, head: JobHead, lifecycle: Lifecycle) -> bool:
    if asked.error is not None and not asked.error.retryable:
        return False
    return head.attempt < head.max_attempts or cancelled_instead(lifecycle, head) is not None


def _another_attempt(again: Attempts, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Change:
    cancelled = cancelled_instead(lifecycle, head)
    target = cancelled or paused_instead(lifecycle, head) or again.on_failure_to
    reason = EventReason.CANCELLED if cancelled else EventReason.ATTEMPT_FAILED
    due = next_attempt_time(
        head.retry_policy, head.id, head.attempt, at, exponential=again.exponential, jitter=again.jitter
    )
    change = arrive(lifecycle, target, (Step(head.state, target, reason),), due=due)
    return replace(
        change,
        attempts=0 if cancelled else 1,
        lease_target=again.exhausted,
        directive=KEEP if cancelled else None,
    )


def _documents(asked: Move, change: Change) -> tuple[tuple[str, Document], ...]:
    found: list[tuple[str, Document]] = []
    if asked.result is not None:
        found.append((DocumentKind.RESULT.value, asked.result))
    if asked.error is not None:
        found.append((DocumentKind.ERROR.value, encode_failure(asked.error)))
    if asked.checkpoint is not None and DocumentKind.CHECKPOINT not in change.removed_documents:
        found.append((DocumentKind.CHECKPOINT.value, asked.checkpoint))
    return tuple(found)
