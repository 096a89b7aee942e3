"""What entering a state does to a job, whichever verb brought it there."""

from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from tenure_server.domain.change import Change, LeaseChange, ProgressChange, ReadyChange, Step
from tenure_server.domain.job import Directive, DocumentKind, JobHead
from tenure_server.domain.lifecycle import CancelKind, Lifecycle, Outcome


def arrive(
    lifecycle: Lifecycle,
    target: str,
    steps: tuple[Step, ...],
    *,
    lease: LeaseChange = LeaseChange.DROP,
    due: datetime | None = None,
) -> Change:
    """The change that puts a job into `target`.

    `lease` is what becomes of the lease unless the state ends it; `due` holds an unleased job back
    until that time.
    """
    change = _arrival(lifecycle, target, steps, lease)
    if due is None or change.ready is not ReadyChange.DRAW:
        return change
    return replace(change, ready=ReadyChange.LEAVE, schedule_time=due)


@lru_cache(maxsize=4096)
def _arrival(lifecycle: Lifecycle, target: str, steps: tuple[Step, ...], lease: LeaseChange) -> Change:
    state = lifecycle.state(target)
    entered = state.on_enter
    if state.phase.terminal:
        lease = LeaseChange.DROP
    if entered.clear_lease:
        lease = LeaseChange.FORGET
    free = lease in (LeaseChange.DROP, LeaseChange.FORGET)
    removed = [DocumentKind.CHECKPOINT] if entered.clear_checkpoint else []
    if lifecycle.outcome(target) is Outcome.SUCCESS:
        removed.append(DocumentKind.ERROR)
    return Change(
        state=target,
        phase=state.phase,
        steps=steps,
        lease=lease,
        ready=ReadyChange.DRAW if free and state.leasable else ReadyChange.LEAVE,
        schedule_time=None,
        progress=ProgressChange.FILL if entered.progress_full else ProgressChange.KEEP,
        label=entered.label,
        ended=state.phase.terminal,
        removed_documents=tuple(removed),
    )


def stay(lifecycle: Lifecycle, head: JobHead, steps: tuple[Step, ...] = ()) -> Change:
    """A change that leaves the job in its state."""
    return Change(state=head.state, phase=lifecycle.state(head.state).phase, steps=steps)


def cancelled_instead(lifecycle: Lifecycle, head: JobHead) -> str | None:
    """Where a job goes that was to be cancelled by its holder and lost it, None when nobody asked."""
    if head.directive != Directive.CANCEL:
        return None
    state = lifecycle.state(head.state)
    asked = [policy.kind for policy in (state.cancel, state.cancel_when_leased) if policy is not None]
    target = lifecycle.cancelled_state()
    if target is None or CancelKind.FLAG not in asked:
        return None
    return target if lifecycle.has_edge(head.state, target, system=True) else None


def paused_instead(lifecycle: Lifecycle, head: JobHead) -> str | None:
    """Where a job goes that was to be paused by its holder and lost it, None when nobody asked."""
    return lifecycle.pause_target() if head.directive == Directive.PAUSE else None
