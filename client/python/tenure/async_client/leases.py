"""Leasing jobs, proving that they are still held, and handing them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tenure import clock, requests
from tenure.async_client.connection import AsyncConnection
from tenure.batches import batches
from tenure.errors import TenureError
from tenure.model.document import Content, Document, document, document_to_proto
from tenure.model.job import Failure, Job, Progress, job_from_proto, new_request_id
from tenure.model.lease import (
    Acquire,
    Acquired,
    Grant,
    Held,
    ItemResult,
    LeaseStatus,
    Release,
    Renewal,
    Transition,
    Transitioned,
    TransitionedMany,
    acquired_from_proto,
    grant_from_proto,
    item_result_from_proto,
    lease_status_from_proto,
)
from tenure.model.times import DurationLike, seconds
from tenure.status import error_from_status
from tenure.v1 import lease_service_pb2
from tenure.waits import call_timeout


class AsyncLeaseCalls(AsyncConnection):
    """Calls of workers. All but acquire raise JobNotFound and LeaseLost, which is final."""

    async def acquire(
        self,
        holder: str,
        *,
        queues: Sequence[str] = (),
        job_id: str | None = None,
        max_leases: int = 1,
        lease_duration: DurationLike | None = None,
        wait: DurationLike = 0,
        kinds: Sequence[str] = (),
        states: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        request_id: str | None = None,
    ) -> Acquired:
        """Lease one job by its id, or up to 500 of the next ones of some queues.

        Waits up to `wait` seconds, at most 50, until there is one. The same request id again answers
        with those of its grants that are still valid. Raises JobNotFound, TooManyWaiters,
        ServerDraining, RequestIdReused.
        """
        return await self.acquire_leases(
            Acquire(
                holder=holder,
                queues=queues,
                job_id=job_id,
                max_leases=max_leases,
                lease_duration=lease_duration,
                wait=wait,
                kinds=kinds,
                states=states,
                labels=labels or {},
                request_id=request_id or new_request_id(),
            )
        )

    async def acquire_leases(self, wanted: Acquire) -> Acquired:
        """Do what acquire does, for a value that can be sent again after a failure."""
        timeout = call_timeout(seconds(wanted.wait), self._timeout)
        sent_at = clock.now()
        reply = await self._call(self._stubs.leases.AcquireLease, requests.acquire(wanted), timeout)
        return acquired_from_proto(reply, sent_at)

    async def renew(
        self,
        lease: Held,
        lease_duration: DurationLike | None = None,
        *,
        progress: Progress | None = None,
        expected_version: int | None = None,
    ) -> LeaseStatus:
        """Extend a lease from now on, as long as before or as given; an expired one is never revived."""
        item = Renewal(
            lease=lease,
            lease_duration=lease_duration,
            progress=progress,
            expected_version=expected_version,
        )
        sent_at = clock.now()
        reply = await self._call(self._stubs.leases.Renew, requests.renew(item))
        return lease_status_from_proto(reply.lease, sent_at)

    async def renew_many(self, items: Iterable[Renewal]) -> list[LeaseStatus | TenureError]:
        """Extend many leases, each on its own terms; results come in the order of the items."""
        results: list[LeaseStatus | TenureError] = []
        for batch in batches(requests.renew(item) for item in items):
            sent_at = clock.now()
            request = lease_service_pb2.BatchRenewRequest(items=batch)
            reply = await self._call(self._stubs.leases.BatchRenew, request)
            results.extend(
                error_from_status(result.error)
                if result.HasField("error")
                else lease_status_from_proto(result.lease, sent_at)
                for result in reply.results
            )
        return results

    async def transition(
        self,
        lease: Held,
        to: str,
        *,
        result: Content = None,
        error: Failure | None = None,
        progress: Progress | None = None,
        checkpoint: Content = None,
        phase_index: int | None = None,
        acquire_next: Acquire | None = None,
        expected_version: int | None = None,
    ) -> Transitioned:
        """Move a job along an edge of its lifecycle, with a result or an error, and lease the next ones.

        The same token and target again is `replayed`. Raises IllegalTransition, VersionMismatch.
        """
        item = Transition(
            lease=lease,
            to=to,
            result=result,
            error=error,
            progress=progress,
            checkpoint=checkpoint,
            phase_index=phase_index,
            expected_version=expected_version,
        )
        request = requests.transition(item)
        if acquire_next is not None:
            request.acquire_next.CopyFrom(requests.acquire(acquire_next))
        sent_at = clock.now()
        reply = await self._call(self._stubs.leases.Transition, request)
        grants = tuple(grant_from_proto(grant, sent_at) for grant in reply.grants)
        return Transitioned(job_from_proto(reply.job), reply.replayed, grants)

    async def transition_many(
        self, items: Iterable[Transition], acquire_next: Acquire | None = None
    ) -> TransitionedMany:
        """Move many jobs, each on its own terms, and lease the next ones with the last call it takes."""
        results: list[ItemResult | TenureError] = []
        grants: list[Grant] = []
        calls = [
            lease_service_pb2.BatchTransitionRequest(items=batch)
            for batch in batches(requests.transition(item) for item in items)
        ]
        if acquire_next is not None and calls:
            calls[-1].acquire_next.CopyFrom(requests.acquire(acquire_next))
        for request in calls:
            sent_at = clock.now()
            reply = await self._call(self._stubs.leases.BatchTransition, request)
            results.extend(_item_result(result) for result in reply.results)
            grants.extend(grant_from_proto(grant, sent_at) for grant in reply.grants)
        return TransitionedMany(results, grants)

    async def release(
        self, lease: Held, delay: DurationLike | None = None, *, count_attempt: bool = False
    ) -> Job:
        """Give a job back, unstarted or unfinished, to be handed out again after `delay` seconds."""
        item = Release(lease=lease, delay=delay, count_attempt=count_attempt)
        reply = await self._call(self._stubs.leases.Release, requests.release(item))
        return job_from_proto(reply.job)

    async def release_many(self, items: Iterable[Release]) -> list[ItemResult | TenureError]:
        """Give many jobs back, each on its own terms; results come in the order of the items."""
        results: list[ItemResult | TenureError] = []
        for batch in batches(requests.release(item) for item in items):
            request = lease_service_pb2.BatchReleaseRequest(items=batch)
            reply = await self._call(self._stubs.leases.BatchRelease, request)
            results.extend(_item_result(result) for result in reply.results)
        return results

    async def report_progress(
        self,
        lease: Held,
        label: str = "",
        done: int | None = None,
        total: int | None = None,
        *,
        message: str = "",
        expected_version: int | None = None,
    ) -> LeaseStatus:
        """Replace the job's progress; the lease is not extended. Raises UnexpectedState."""
        request = lease_service_pb2.ReportProgressRequest(
            job_id=lease.job_id,
            token=lease.token,
            progress=requests.progress(Progress(label, done, total, message)),
            expected_version=expected_version,
        )
        sent_at = clock.now()
        reply = await self._call(self._stubs.leases.ReportProgress, request)
        return lease_status_from_proto(reply.lease, sent_at)

    async def save_checkpoint(
        self,
        lease: Held,
        checkpoint: Content,
        *,
        phase_index: int | None = None,
        progress: Progress | None = None,
        expected_version: int | None = None,
    ) -> LeaseStatus:
        """Replace the job's checkpoint, at most 1 MiB, which the next holder gets.

        The lease is not extended. Raises UnexpectedState.
        """
        request = lease_service_pb2.SaveCheckpointRequest(
            job_id=lease.job_id,
            token=lease.token,
            checkpoint=document_to_proto(document(checkpoint) or Document(b"")),
            phase_index=phase_index,
            progress=requests.progress(progress),
            expected_version=expected_version,
        )
        sent_at = clock.now()
        reply = await self._call(self._stubs.leases.SaveCheckpoint, request)
        return lease_status_from_proto(reply.lease, sent_at)


def _item_result(
    result: lease_service_pb2.TransitionResult | lease_service_pb2.ReleaseResult,
) -> ItemResult | TenureError:
    if result.HasField("error"):
        return error_from_status(result.error)
    return item_result_from_proto(result)
