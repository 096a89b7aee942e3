"""Who holds a job: grant, renew, report, give back, expire."""

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from tenure_server.domain import errors
from tenure_server.domain.arrival import arrive, cancelled_instead, paused_instead, stay
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
from tenure_server.domain.command import Acquire, Release, Renew, Report, SaveCheckpoint
from tenure_server.domain.job import Document, DocumentKind, JobHead, encode_failure
from tenure_server.domain.lifecycle import (
    Expiry,
    ExpiryKind,
    Failure,
    LeaseRule,
    Lifecycle,
    ReportKind,
)
from tenure_server.domain.lifecycle import Report as ReportRule
from tenure_server.domain.progress import Progress

DEFAULT_LEASE = timedelta(seconds=60)


class EmptyReason(StrEnum):
    """Why nothing was granted."""

    NO_JOBS = "NO_JOBS"
    SCHEDULED_LATER = "SCHEDULED_LATER"
    QUEUE_PAUSED = "QUEUE_PAUSED"
    CONCURRENCY_LIMIT = "CONCURRENCY_LIMIT"
    NO_MATCH = "NO_MATCH"
    LEASED_BY_ANOTHER = "LEASED_BY_ANOTHER"
    TERMINAL = "TERMINAL"
    NOT_LEASABLE = "NOT_LEASABLE"
    SERVER_DRAINING = "SERVER_DRAINING"


def acquire(
    asked: Acquire, head: JobHead, lifecycle: Lifecycle, token: bytes, at: datetime
) -> Decision | EmptyReason:
    """Lease the job to `asked.holder`, or say why not; a lapsed lease is ended in the same change."""
    if head.is_leased(at):
        return EmptyReason.LEASED_BY_ANOTHER
    if lifecycle.is_terminal(head.state):
        return EmptyReason.TERMINAL
    if head.schedule_time is not None and head.schedule_time > at:
        return EmptyReason.SCHEDULED_LATER
    lapsed = head.lease_expire_time is not None
    ended = _expire(head, lifecycle, at) if lapsed else None
    state = head.state if ended is None or ended.change is None else ended.change.state
    if not lifecycle.state(state).leasable:
        return EmptyReason.TERMINAL if lifecycle.is_terminal(state) else EmptyReason.NOT_LEASABLE
    change = _grant(lifecycle, state, asked.duration or default_duration(lifecycle), at)
    if ended is not None and ended.change is not None:
        change = change.after(ended.change)
        return Decision(change, token=token, holder=asked.holder, documents=ended.documents)
    return Decision(change, token=token, holder=asked.holder)


def default_duration(lifecycle: Lifecycle) -> timedelta:
    """How long a lease lasts for a worker that names no duration."""
    return DEFAULT_LEASE if lifecycle.lease is None else lifecycle.lease.default


@lru_cache(maxsize=1024)
def _grant(lifecycle: Lifecycle, state: str, duration: timedelta, at: datetime) -> Change:
    target = lifecycle.state(state).acquire_to or state
    steps = (Step(state, target, EventReason.ACQUIRED),)
    return replace(
        arrive(lifecycle, target, steps, lease=LeaseChange.GRANT),
        lease_duration=duration,
        lease_expire_time=at + duration,
        lease_target=None,
        heartbeat=True,
        starts=True,
    )


def renew(asked: Renew, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Extend the lease from now; never a shorter one than is held."""
    require_lease(head, lifecycle, asked.token, at)
    require_version(head, asked.expected_version)
    progress = _accepted(asked.progress, head, lifecycle)
    duration = asked.duration or head.lease_duration or timedelta(0)
    until = at + duration
    if head.lease_expire_time is not None and head.lease_expire_time > until:
        until = head.lease_expire_time
    change = _extension(lifecycle, head.state, duration, until, progress is not None)
    return Decision(change, progress=progress)


@lru_cache(maxsize=4096)
def _extension(
    lifecycle: Lifecycle, state: str, duration: timedelta, until: datetime, reports: bool
) -> Change:
    return Change(
        state=state,
        phase=lifecycle.state(state).phase,
        lease=LeaseChange.EXTEND,
        lease_duration=duration,
        lease_expire_time=until,
        heartbeat=True,
        progress=ProgressChange.REPLACE if reports else ProgressChange.KEEP,
    )


def report(asked: Report, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Replace the progress; the lease is not extended."""
    _require_worker(head, lifecycle, asked.token, at)
    require_version(head, asked.expected_version)
    progress = _accepted(asked.progress, head, lifecycle)
    if progress is None:
        return REPLAYED
    change = replace(stay(lifecycle, head), heartbeat=True, progress=ProgressChange.REPLACE)
    return Decision(change, progress=progress)


def save_checkpoint(asked: SaveCheckpoint, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Replace the checkpoint; the lease is not extended."""
    _require_worker(head, lifecycle, asked.token, at)
    require_version(head, asked.expected_version)
    _require_allowed(lifecycle.state(head.state).checkpoint, "a checkpoint", head)
    progress = _accepted(asked.progress, head, lifecycle)
    change = replace(
        stay(lifecycle, head),
        heartbeat=True,
        progress=ProgressChange.KEEP if progress is None else ProgressChange.REPLACE,
        phase_index=KEEP if asked.phase_index is None else asked.phase_index,
    )
    documents = ((DocumentKind.CHECKPOINT.value, asked.checkpoint),)
    return Decision(change, progress=progress, documents=documents)


def release(asked: Release, head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """Give the job back with its current token, even past the lease's end."""
    if head.lease_token != asked.token:
        raise errors.LeaseLost(head.id, "was superseded or never issued")
    if head.lease_expire_time is None:
        if head.lease_target is None:
            return REPLAYED
        raise errors.LeaseLost(head.id, "was given up by a transition")
    due = None if asked.delay is None else at + asked.delay
    return _give_back(head, lifecycle, EventReason.RELEASED, counted=asked.count_attempt, due=due)


def reap(head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    """End a lapsed lease as the lifecycle says; look at a renewed one again when it ends."""
    if head.lease_expire_time is None:
        return REPLAYED
    if head.lease_expire_time > at:
        change = replace(
            stay(lifecycle, head),
            silent=True,
            lease=LeaseChange.RECHECK,
            lease_expire_time=head.lease_expire_time,
        )
        return Decision(change)
    return _expire(head, lifecycle, at)


def require_lease(head: JobHead, lifecycle: Lifecycle, token: bytes, at: datetime) -> None:
    """Raise LeaseLost unless the token is the job's current one and its lease lies ahead."""
    if not token or head.lease_token != token:
        raise errors.LeaseLost(head.id, "was superseded or never issued")
    if lifecycle.is_terminal(head.state):
        raise errors.LeaseLost(head.id, f"ended with the job, which is {head.state}")
    if head.lease_expire_time is None:
        raise errors.LeaseLost(head.id, "was released, or expired and was taken back")
    if head.lease_expire_time <= at:
        raise errors.LeaseLost(head.id, "expired")


def require_version(head: JobHead, expected: int | None) -> None:
    """Raise VersionMismatch unless the job is at the version the caller expects."""
    if expected is not None and expected != head.version:
        raise errors.VersionMismatch(head.id, expected, head.version)


def _require_worker(head: JobHead, lifecycle: Lifecycle, token: bytes, at: datetime) -> None:
    if token or lifecycle.state(head.state).lease is not LeaseRule.OPTIONAL:
        require_lease(head, lifecycle, token, at)


def _accepted(progress: Progress | None, head: JobHead, lifecycle: Lifecycle) -> Progress | None:
    if progress is None:
        return None
    rule = lifecycle.state(head.state).progress
    _require_allowed(rule, "progress", head)
    return None if rule.kind is ReportKind.IGNORE else progress


def _require_allowed(rule: ReportRule, verb: str, head: JobHead) -> None:
    if rule.kind is not ReportKind.REJECT:
        return
    if rule.reason == errors.LeaseLost.reason:
        raise errors.LeaseLost(head.id, f"does not count while the job is {head.state}")
    if rule.reason == errors.JobTerminal.reason:
        raise errors.JobTerminal(head.id, head.state)
    raise errors.UnexpectedState(head.id, verb, head.state)


def _expire(head: JobHead, lifecycle: Lifecycle, at: datetime) -> Decision:
    policy = lifecycle.state(head.state).on_lease_expiry
    return _give_back(head, lifecycle, EventReason.EXPIRED, counted=policy.counts_attempt, due=None)


def _give_back(
    head: JobHead, lifecycle: Lifecycle, reason: EventReason, *, counted: bool, due: datetime | None
) -> Decision:
    policy = lifecycle.state(head.state).on_lease_expiry
    target, counted, error = _destination(policy, head, lifecycle, counted)
    change = replace(
        arrive(lifecycle, target, (Step(head.state, target, reason),), due=due),
        attempts=int(counted),
        lease_target=None,
        directive=KEEP if lifecycle.is_terminal(target) else None,
    )
    documents: tuple[tuple[str, Document], ...] = ()
    if error is not None:
        documents = ((DocumentKind.ERROR.value, encode_failure(error)),)
    return Decision(change, holder=head.lease_holder, documents=documents)


def _destination(
    policy: Expiry, head: JobHead, lifecycle: Lifecycle, counted: bool
) -> tuple[str, bool, Failure | None]:
    """Where a job goes that lost its holder, whether the attempt counts, and with which error."""
    if policy.kind in (ExpiryKind.RECLAIMABLE, ExpiryKind.REQUEUE):
        cancelled = cancelled_instead(lifecycle, head)
        if cancelled is not None:
            return cancelled, False, None
    if policy.kind is ExpiryKind.RECLAIMABLE or policy.to is None:
        return head.state, counted, None
    if policy.kind is not ExpiryKind.REQUEUE:
        return policy.to, counted, policy.error
    if counted and policy.exhausted is not None and head.attempt >= head.max_attempts:
        return policy.exhausted, False, policy.error
    return paused_instead(lifecycle, head) or policy.to, counted, None
