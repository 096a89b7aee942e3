"""Renewing leases in a thread of its own, where no user code can hold it up."""

from __future__ import annotations

import logging
import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self, cast

import grpc

from tenure import clock, requests
from tenure.batches import MAX_ITEMS
from tenure.channel import endpoint
from tenure.errors import InvalidField, JobNotFound, LeaseLost, TenureError, UnexpectedState
from tenure.held_lease import HeldLease
from tenure.lease_renewals import Answer, RenewalSender, Send
from tenure.model.job import Progress
from tenure.model.lease import Grant, LeaseStatus, Renewal, lease_status_from_proto
from tenure.pulse import Pulse
from tenure.status import error_from_status
from tenure.v1 import lease_service_pb2

__all__ = ["HeldLease", "LeaseKeeper"]

logger = logging.getLogger("tenure")

_SHORTEST_TIMEOUT = 0.25
_LONGEST_TIMEOUT = 10.0
_LONGEST_PAUSE = 2.0


class _Sent(NamedTuple):
    at: float
    leases: Sequence[HeldLease]
    progress: Sequence[Progress | None]


class LeaseKeeper:
    """Keeps leases: one call renews all that are due; one that cannot be renewed is given up in time.

    In time means before the server can give the job to someone else. A failed renewal is no loss and
    is tried again until the local end of the lease; LEASE_LOST is final at once. Safe to use from any
    thread.
    """

    def __init__(
        self,
        target: str,
        *,
        token: str | None = None,
        root_certificates: bytes | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        send: Send | None = None,
        now: Callable[[], float] = clock.now,
    ) -> None:
        """Take the same target and credentials as Client. `send` and `now` are for tests."""
        where = endpoint(target, token=token, root_certificates=root_certificates, credentials=credentials)
        self._sender = RenewalSender(where) if send is None else None
        self._send: Send = self._sender.send if self._sender is not None else cast("Send", send)
        self._now = now
        self._lock = threading.Lock()
        self._leases: dict[tuple[str, int], HeldLease] = {}
        self._sent: _Sent | None = None
        self._answers: deque[tuple[_Sent, Answer]] = deque()
        self._failures = 0
        self._pulse = Pulse(now)
        self._wake = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> Self:
        """Start the thread; starting again does nothing."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tenure-lease-keeper", daemon=True)
                self._thread.start()
        return self

    def close(self) -> None:
        """Stop renewing; the leases are neither given back nor lost, they run out."""
        self._closing = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        if self._sender is not None:
            self._sender.close()

    def hold(self, grant: Grant, on_change: Callable[[HeldLease], None] | None = None) -> HeldLease:
        """Keep a lease until it is dropped or lost; the same grant again is the same lease.

        Starts the thread where that is not done. The thread calls `on_change` after a renewal, a
        directive and the loss.
        """
        with self._lock:
            lease = self._leases.get((grant.job_id, grant.fence))
            if lease is None:
                lease = HeldLease(grant, self._now, on_change)
                self._leases[lease.key] = lease
                self._pulse.expect()
        if self._sender is not None:
            self.start()
        self._wake.set()
        return lease

    def drop(self, lease: HeldLease) -> None:
        """Renew a lease no more; what is still answered about it is ignored."""
        with self._lock:
            self._forget(lease)

    def lose(self, lease: HeldLease, cause: str) -> None:
        """Give a lease up for lost, as when another call was refused with LEASE_LOST."""
        with self._lock:
            self._lose(lease, cause)
        _announce(lease)

    def holds(self, grant: Grant) -> bool:
        with self._lock:
            return (grant.job_id, grant.fence) in self._leases

    def report(self, lease: HeldLease, progress: Progress) -> None:
        """Send progress with the next renewal, which then comes within about a second.

        Of several reports in that time the last one counts.
        """
        with self._lock:
            lease.report(progress)
        self._wake.set()

    def take_progress(self, lease: HeldLease) -> Progress | None:
        """Return the report that is not sent yet; the caller sends it with a call of its own."""
        with self._lock:
            return lease.take_progress()

    def observe(self, lease: HeldLease, status: LeaseStatus) -> None:
        """Take note of a directive that came with another call's answer."""
        with self._lock:
            lease.obey(status.directive, status.directive_reason)
        _announce(lease)

    def last_success_age(self) -> float:
        """Return the seconds since a renewal succeeded; 0 while no lease is held."""
        return self._pulse.age()

    def tick(self) -> float | None:
        """Do what is due now and return in how many seconds to come again; None: when woken.

        The keeper's thread calls this; so do tests, with a clock of their own.
        """
        with self._lock:
            changed = self._settle() + self._expire()
            sent = self._next_batch()
            pause = self._pause()
        for lease in changed:
            _announce(lease)
        if sent is not None:
            self._transmit(sent)
        return pause

    def _run(self) -> None:
        while not self._closing:
            try:
                pause = self.tick()
            except Exception:  # a fault must not end the renewals of all other leases
                logger.exception("the lease keeper met a fault and goes on")
                pause = _LONGEST_PAUSE
            self._wake.wait(pause)
            self._wake.clear()

    def _pause(self) -> float | None:
        # While an answer is awaited nothing can be sent, but leases still run out.
        times = [
            lease.ends_at if self._sent is not None else min(lease.ends_at, lease.due_at)
            for lease in self._leases.values()
        ]
        return max(0.0, min(times) - self._now()) if times else None

    def _expire(self) -> list[HeldLease]:
        over = [lease for lease in self._leases.values() if lease.remaining() <= 0]
        for lease in over:
            self._lose(lease, "ran out by this machine's clock before a renewal was answered")
        return over

    def _next_batch(self) -> _Sent | None:
        now = self._now()
        leases = self._leases.values()
        if self._sent is not None or not any(lease.due_at <= now for lease in leases):
            return None
        due = sorted((lease for lease in leases if lease.due_at - lease.slack <= now), key=_end)[:MAX_ITEMS]
        self._sent = _Sent(now, due, [lease.take_progress() for lease in due])
        return self._sent

    def _transmit(self, sent: _Sent) -> None:
        items = [
            requests.renew(Renewal(lease=lease, progress=progress))
            for lease, progress in zip(sent.leases, sent.progress, strict=True)
        ]
        # Half of what is left, so that there is time for another try.
        left = min(lease.ends_at for lease in sent.leases) - sent.at
        timeout = min(_LONGEST_TIMEOUT, max(_SHORTEST_TIMEOUT, left / 2))
        self._send(items, timeout, lambda answer: self._answered(sent, answer))

    def _answered(self, sent: _Sent, answer: Answer) -> None:
        self._answers.append((sent, answer))
        self._wake.set()

    def _settle(self) -> list[HeldLease]:
        changed: list[HeldLease] = []
        while self._answers:
            sent, answer = self._answers.popleft()
            self._sent = None
            if isinstance(answer, TenureError):
                self._failed(sent, answer)
            else:
                changed += self._renewed(sent, answer)
        return changed

    def _failed(self, sent: _Sent, error: TenureError) -> None:
        if not self._failures:
            logger.warning("renewing %d leases failed, trying again: %s", len(sent.leases), error)
        self._failures = min(self._failures + 1, 16)
        for lease, progress in zip(sent.leases, sent.progress, strict=True):
            lease.put_back(progress)
            lease.renew_in(self._backoff(error))

    def _renewed(self, sent: _Sent, results: Sequence[lease_service_pb2.RenewResult]) -> list[HeldLease]:
        if self._failures:
            logger.info("renewals succeed again")
        self._failures = 0
        changed = []
        for lease, progress, result in zip(sent.leases, sent.progress, results, strict=False):
            if self._leases.get(lease.key) is not lease:
                continue  # dropped, or lost, while the call was under way
            if result.HasField("error"):
                self._refused(lease, progress, error_from_status(result.error))
            else:
                status = lease_status_from_proto(result.lease, sent.at)
                lease.extend(status)
                lease.obey(status.directive, status.directive_reason)
                self._pulse.beat()
            changed.append(lease)
        return changed

    def _refused(self, lease: HeldLease, progress: Progress | None, error: TenureError) -> None:
        if isinstance(error, LeaseLost | JobNotFound):
            self._lose(lease, f"was refused by the server: {error}")
        elif progress is not None and isinstance(error, UnexpectedState | InvalidField):
            logger.warning("job %s takes no such progress: %s", lease.job_id, error)
            lease.takes_progress = not isinstance(error, UnexpectedState)
            lease.renew_in(0)
        else:
            logger.warning("renewing the lease of job %s failed: %s", lease.job_id, error)
            lease.put_back(progress)
            lease.renew_in(self._backoff(error))

    def _backoff(self, error: TenureError) -> float:
        longest = min(_LONGEST_PAUSE, 0.1 * 2.0**self._failures)
        return (error.retry_after or 0.0) + random.uniform(0, longest)

    def _lose(self, lease: HeldLease, cause: str) -> None:
        logger.warning("the lease of job %s, fence %d, %s", lease.job_id, lease.fence, cause)
        lease.lose(cause)
        self._forget(lease)

    def _forget(self, lease: HeldLease) -> None:
        if self._leases.get(lease.key) is lease:
            del self._leases[lease.key]
        if not self._leases:
            self._pulse.rest()


def _announce(lease: HeldLease) -> None:
    try:
        lease.announce()
    except Exception:
        logger.exception("what was to be told about the lease of job %s failed", lease.job_id)


def _end(lease: HeldLease) -> float:
    return lease.ends_at
