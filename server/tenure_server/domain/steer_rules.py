"""Those without a lease steer a job: cancel, pause, resume, retry, update, delete."""

from dataclasses import replace
from datetime import datetime

from tenure_server.domain import errors
from tenure_server.domain.arrival import arrive, stay
from tenure_server.domain.change import (
    KEEP,
    REPLAYED,
    Change,
    Decision,
    EventReason,
    LeaseChange,
    ProgressChange,
    ReadyChange,
    Step,
)
from tenure_server.domain.command import Cancel, Delete, Pause, Resume, Retry, Update
from tenure_server.domain.job import Directive, Document, DocumentKind, JobHead, encode_failure
from tenure_server.domain.lease_rules import require_version
from tenure_server.domain.lifecycle import Cancel as CancelRule
from tenure_server.domain.lifecycle import CancelKind, Lifecycle
from tenure_server.domain.lifecycle import Retry as RetryRule
from tenure_server.domain.phase import Phase


def cancel(asked: Cancel, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Cancel at once or through the holder, as the state says; the first reason is kept."""
    state = lifecycle.state(head.state)
    rule = state.cancel
    if state.cancel_when_leased is not None and head.is_leased(at):
        rule = state.cancel_when_leased
    match rule.kind:
        case CancelKind.NOOP:
            return REPLAYED
        case CancelKind.REFUSED:
            raise _refusal(rule, head)
        case CancelKind.FLAG if head.directive == Directive.CANCEL:
            return REPLAYED
    require_version(head, asked.expected_version)
    change = _cancel_change(rule, head, lifecycle)
    documents: tuple[tuple[str, Document], ...] = ()
    if rule.error is not None:
        documents = ((DocumentKind.ERROR.value, encode_failure(rule.error)),)
    change = replace(change, directive=Directive.CANCEL, cancel_reason=asked.reason)
    return Decision(change, holder=head.lease_holder, documents=documents)


def _cancel_change(rule: CancelRule, head: JobHead, lifecycle: Lifecycle) -> Change:
    if rule.kind is CancelKind.FLAG:
        step = Step(head.state, head.state, EventReason.CANCEL_REQUESTED)
        return stay(lifecycle, head, (step,))
    passed = (head.state, *rule.path)
    reason = EventReason.CANCELLED if rule.kind is CancelKind.IMMEDIATE else EventReason.CANCEL_REQUESTED
    steps = tuple(Step(a, b, reason) for a, b in zip(passed, rule.path, strict=False))
    lease = LeaseChange.DROP if rule.kind is CancelKind.IMMEDIATE else LeaseChange.KEEP
    return arrive(lifecycle, passed[-1], steps, lease=lease)


def _refusal(rule: CancelRule, head: JobHead) -> errors.TenureError:
    if rule.reason == errors.JobTerminal.reason:
        return errors.JobTerminal(head.id, head.state)
    if rule.reason == errors.UnexpectedState.reason:
        return errors.UnexpectedState(head.id, "cancellation", head.state)
    return errors.CannotCancel(head.id, head.state)


def pause(asked: Pause, head: JobHead, lifecycle: Lifecycle) -> Decision:
    """Set the job aside at once, or ask its holder to; paused already changes nothing."""
    rule = lifecycle.pause
    target = lifecycle.pause_target()
    if head.state == target or (head.directive == Directive.PAUSE and not lifecycle.is_terminal(head.state)):
        return REPLAYED
    edges = dict(rule.edges) if rule else {}
    if head.state in edges:
        require_version(head, asked.expected_version)
        moved = edges[head.state]
        keeps = LeaseChange.KEEP if rule and rule.keeps_lease else LeaseChange.DROP
        change = arrive(lifecycle, moved, (Step(head.state, moved, EventReason.PAUSED),), lease=keeps)
        return Decision(replace(change, schedule_time=KEEP), holder=head.lease_holder)
    if rule and head.state in rule.cooperative and head.directive is None:
        require_version(head, asked.expected_version)
        step = Step(head.state, head.state, EventReason.PAUSE_REQUESTED)
        change = replace(stay(lifecycle, head, (step,)), directive=Directive.PAUSE)
        return Decision(change, holder=head.lease_holder)
    raise errors.IllegalTransition(
        head.id, head.state, target or Phase.PARKED.value.lower(), lifecycle.allowed(head.state)
    )


def resume(asked: Resume, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Put a paused job back to work, or take back a pause not carried out yet."""
    rule = lifecycle.resume
    if head.directive == Directive.PAUSE and not lifecycle.is_terminal(head.state):
        require_version(head, asked.expected_version)
        step = Step(head.state, head.state, EventReason.RESUMED)
        return Decision(replace(stay(lifecycle, head, (step,)), directive=None), holder=head.lease_holder)
    if rule is None or head.state != rule.source:
        target = rule.target if rule else lifecycle.initial
        raise errors.IllegalTransition(head.id, head.state, target, lifecycle.allowed(head.state))
    if rule.refuse_while_leased and head.is_leased(at):
        raise errors.StillDraining(head.id, head.state)
    require_version(head, asked.expected_version)
    later = head.schedule_time if head.schedule_time is not None and head.schedule_time > at else None
    steps = (Step(head.state, rule.target, EventReason.RESUMED),)
    change = replace(arrive(lifecycle, rule.target, steps, due=later), lease_target=None)
    return Decision(change)


def retry(asked: Retry, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Open an ended job again; what is cleared and what is kept is the lifecycle's to say."""
    rule = lifecycle.retry
    if rule is None or head.state not in rule.sources:
        sources = sorted(rule.sources) if rule else []
        raise errors.NotRetryable(head.id, head.state, sources)
    require_version(head, asked.expected_version)
    due = None if not asked.delay else at + asked.delay
    steps = (Step(head.state, rule.to, EventReason.RETRIED),)
    change = replace(
        arrive(lifecycle, rule.to, steps, lease=LeaseChange.FORGET, due=due),
        attempts=1,
        lease_target=None,
        directive=None,
        ended=False,
        deleted=False,
    )
    return Decision(_cleared(rule, change, head, lifecycle, at))


def _cleared(rule: RetryRule, change: Change, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Change:
    if "progress" in rule.clears:
        change = replace(change, progress=ProgressChange.CLEAR)
    if "cancel_reason" in rule.clears:
        change = replace(change, cancel_reason=None)
    if "error" in rule.clears:
        change = replace(change, removed_documents=(DocumentKind.ERROR.value, DocumentKind.RESULT.value))
    deadline = lifecycle.deadline
    if rule.renews_deadline and deadline is not None and deadline.after is not None:
        return replace(change, expire_time=at + deadline.after)
    if head.expire_time is not None and head.expire_time <= at:
        return replace(change, expire_time=None)
    return change


def update(asked: Update, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Change the pin, priority, schedule or labels; the line is rearranged only for waiting jobs."""
    require_version(head, asked.expected_version)
    state = lifecycle.state(head.state)
    rearranges = asked.priority is not KEEP or asked.schedule_time is not KEEP
    waiting = state.phase in (Phase.WAITING, Phase.PARKED) and head.lease_expire_time is None
    if rearranges and not waiting:
        raise errors.UnexpectedState(head.id, "a change of priority or schedule", head.state)
    change = replace(
        stay(lifecycle, head, (Step(head.state, head.state, EventReason.UPDATED),)),
        pinned=asked.pinned,
        priority=asked.priority,
    )
    if not isinstance(asked.schedule_time, datetime):
        return Decision(change, labels=asked.labels)
    if asked.schedule_time > at:
        change = replace(change, ready=ReadyChange.LEAVE, schedule_time=asked.schedule_time)
    else:
        ready = ReadyChange.DRAW if state.leasable and head.ready_seq is None else ReadyChange.KEEP
        change = replace(change, ready=ready, schedule_time=None)
    return Decision(change, labels=asked.labels)


def delete(asked: Delete, head: JobHead, lifecycle: Lifecycle) -> Decision:
    """Hide an ended job, or bring it back."""
    if not lifecycle.is_terminal(head.state):
        raise errors.UnexpectedState(head.id, "deletion", head.state)
    if asked.deleted == (head.deleted_time is not None):
        return REPLAYED
    require_version(head, asked.expected_version)
    reason = EventReason.DELETED if asked.deleted else EventReason.UNDELETED
    change = stay(lifecycle, head, (Step(head.state, head.state, reason),))
    return Decision(replace(change, deleted=asked.deleted))
