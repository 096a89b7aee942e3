"""One lease on this machine: until when it may be relied on, and what its holder is asked to do."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from tenure.errors import LeaseLost
from tenure.model.enums import Directive
from tenure.model.job import Progress
from tenure.model.lease import Grant, LeaseStatus

# The first report waits a little, so that one of a job that ends at once rides on its transition.
_FIRST_PROGRESS_AFTER = 0.2
_PROGRESS_EVERY = 1.0


class HeldLease:
    """A lease that a LeaseKeeper renews. The events may be read and waited for by any thread.

    `lost` is final. `paused` is taken back when someone resumes the job in time, `cancelled` never is.
    """

    def __init__(
        self, grant: Grant, now: Callable[[], float], on_change: Callable[[HeldLease], None] | None
    ) -> None:
        self.job_id = grant.job_id
        self.token = grant.token
        self.fence = grant.fence
        self.lost = threading.Event()
        self.cancelled = threading.Event()
        self.paused = threading.Event()
        self.directive_reason = ""
        self.takes_progress = True
        self._now = now
        self._on_change = on_change
        self._cause = ""
        self._duration = grant.ttl
        self._ends_at = grant.sent_at
        self._renew_at = grant.sent_at
        self._progress: Progress | None = None
        self._progress_at = 0.0
        self._progress_due = float("inf")
        self.extend(grant)
        self.obey(grant.job.directive, grant.job.cancel_reason)

    def __repr__(self) -> str:
        return f"<HeldLease of job {self.job_id}, fence {self.fence}, {self.remaining():.1f} s left>"

    @property
    def key(self) -> tuple[str, int]:
        return self.job_id, self.fence

    def remaining(self) -> float:
        """Return for how many more seconds the lease may be relied on; 0 once it is lost."""
        return 0.0 if self.lost.is_set() else max(0.0, self._ends_at - self._now())

    def check(self) -> None:
        """Raise LeaseLost when the lease may not be relied on any more."""
        if self.remaining() <= 0:
            cause = self._cause or "ran out by this machine's clock"
            raise LeaseLost(
                f"the lease of job {self.job_id} is lost: it {cause}; stop working on it",
                metadata={"job_id": self.job_id, "cause": cause},
            )

    @property
    def fresh(self) -> bool:
        """Whether enough is left to begin work; after a long wait a grant needs a renewal first."""
        return self.remaining() > self._duration / 3

    # What follows is for the keeper, which calls it under its lock.

    @property
    def ends_at(self) -> float:
        return self._ends_at

    @property
    def due_at(self) -> float:
        return min(self._renew_at, self._progress_due)

    @property
    def slack(self) -> float:
        """How much sooner than due it may be renewed, so that one call serves many leases."""
        return self._duration / 6

    def extend(self, granted: Grant | LeaseStatus) -> None:
        """Count the lease from when the request was sent; a late reply never shortens it."""
        self._duration = granted.ttl
        self._ends_at = max(self._ends_at, granted.sent_at + granted.ttl - _margin(granted.ttl))
        renew_after = granted.renew_after or granted.ttl / 3
        self._renew_at = granted.sent_at + renew_after * random.uniform(0.85, 1.0)

    def renew_in(self, pause: float) -> None:
        """Try again after a failure, early enough to have yet another try."""
        self._renew_at = self._now() + min(pause, self.remaining() / 4)

    def obey(self, directive: Directive | None, reason: str) -> None:
        self.directive_reason = reason
        if directive is Directive.CANCEL:
            self.cancelled.set()
        elif directive is Directive.PAUSE:
            self.paused.set()
        else:
            self.paused.clear()

    def lose(self, cause: str) -> None:
        self._cause = cause
        self.lost.set()

    def report(self, progress: Progress) -> None:
        now = self._now()
        if self._progress is None:
            self._progress_due = max(now + _FIRST_PROGRESS_AFTER, self._progress_at + _PROGRESS_EVERY)
        self._progress = progress

    def take_progress(self) -> Progress | None:
        """Return the report that is not sent yet, which the caller sends now."""
        progress, self._progress = self._progress, None
        self._progress_at = self._now()
        self._progress_due = float("inf")
        return progress if self.takes_progress else None

    def put_back(self, progress: Progress | None) -> None:
        """Have a report that did not arrive sent again, unless there is a newer one."""
        if progress is not None and self._progress is None:
            self.report(progress)

    def announce(self) -> None:
        if self._on_change is not None:
            self._on_change(self)


def _margin(duration: float) -> float:
    """Return how much sooner the work must stop than the job can be given away."""
    return max(duration / 10, min(0.5, duration / 5))
