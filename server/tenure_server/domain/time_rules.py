"""What the passing of time does to a job that nobody holds."""

from dataclasses import replace
from datetime import datetime

from tenure_server.domain.arrival import arrive, stay
from tenure_server.domain.change import (
    REPLAYED,
    Decision,
    EventReason,
    ReadyChange,
    Step,
)
from tenure_server.domain.job import Document, DocumentKind, JobHead, encode_failure
from tenure_server.domain.lifecycle import Lifecycle


def promote(head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Put a job whose scheduled time has come into the line."""
    if head.schedule_time is None or head.schedule_time > at:
        return REPLAYED
    step = Step(head.state, head.state, EventReason.DUE)
    change = replace(stay(lifecycle, head, (step,)), schedule_time=None)
    if lifecycle.state(head.state).leasable and head.lease_expire_time is None:
        return Decision(replace(change, ready=ReadyChange.DRAW))
    return Decision(replace(change, steps=(), silent=True))


def expire(head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """End a job whose deadline has passed, unless its lifecycle exempts it now."""
    rule = lifecycle.deadline
    if rule is None or head.expire_time is None or head.expire_time > at:
        return REPLAYED
    if lifecycle.is_terminal(head.state) or head.state in rule.exempt:
        return REPLAYED
    if rule.not_while_leased and head.is_leased(at):
        return REPLAYED
    step = Step(head.state, rule.to, EventReason.DEADLINE_PASSED)
    documents: tuple[tuple[str, Document], ...] = ()
    if rule.error is not None:
        documents = ((DocumentKind.ERROR.value, encode_failure(rule.error)),)
    return Decision(arrive(lifecycle, rule.to, (step,)), holder=head.lease_holder, documents=documents)
