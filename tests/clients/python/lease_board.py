"""What a fake server knows of leases: enough to see how a worker behaves."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.rpc.status_pb2 import Status

from tenure.v1 import job_pb2, lease_pb2, lease_service_pb2
from tests.clients.python.fake_server import FakeServer


class LeaseBoard:
    """Hands out the jobs it is given, renews all leases, and remembers what became of each job."""

    def __init__(self, server: FakeServer) -> None:
        self.waiting: list[job_pb2.Job] = []
        self.ends: dict[str, lease_service_pb2.TransitionRequest] = {}
        self.released: list[str] = []
        self.checkpoints: dict[str, bytes] = {}
        self.directives: dict[str, job_pb2.Directive] = {}
        self.refusals: dict[str, Status] = {}
        self.changed = asyncio.Condition()
        server.answers("AcquireLease", self.acquire)
        server.answers("BatchRenew", self.batch_renew)
        server.answers("BatchTransition", self.batch_transition)
        server.answers("Transition", self.transition)
        server.answers("BatchRelease", self.batch_release)
        server.answers("Release", self.release)
        server.answers("SaveCheckpoint", self.save_checkpoint)

    async def put(self, *, payload: bytes = b"", kind: str = "", checkpoint: bytes | None = None) -> str:
        job = job_pb2.Job(
            id=str(uuid.uuid4()), queue="default", kind=kind, state="running", phase=job_pb2.PHASE_ACTIVE
        )
        job.payload.content = payload
        if checkpoint is not None:
            job.checkpoint.content = checkpoint
        async with self.changed:
            self.waiting.append(job)
            self.changed.notify_all()
        return job.id

    async def until(self, condition: Any) -> None:
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(condition), 20)

    async def ended(self, job_id: str) -> lease_service_pb2.TransitionRequest:
        await self.until(lambda: job_id in self.ends)
        return self.ends[job_id]

    async def acquire(self, request: Any, _: Any) -> lease_service_pb2.AcquireLeaseResponse:
        if request.wait.ToSeconds():
            async with self.changed:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(
                        self.changed.wait_for(lambda: self._fitting(request)), request.wait.ToSeconds()
                    )
        grants = self._grant(request)
        reason = lease_pb2.EMPTY_REASON_UNSPECIFIED if grants else lease_pb2.EMPTY_REASON_NO_JOBS
        return lease_service_pb2.AcquireLeaseResponse(grants=grants, empty_reason=reason)

    async def batch_renew(self, request: Any, _: Any) -> lease_service_pb2.BatchRenewResponse:
        async with self.changed:
            self.changed.notify_all()
        return lease_service_pb2.BatchRenewResponse(results=[self._renewed(item) for item in request.items])

    async def batch_transition(self, request: Any, _: Any) -> lease_service_pb2.BatchTransitionResponse:
        results = [await self._moved(item) for item in request.items]
        grants = self._grant(request.acquire_next) if request.HasField("acquire_next") else []
        return lease_service_pb2.BatchTransitionResponse(results=results, grants=grants)

    async def transition(self, request: Any, _: Any) -> lease_service_pb2.TransitionResponse:
        await self._moved(request)
        return lease_service_pb2.TransitionResponse(job=job_pb2.Job(id=request.job_id, state=request.to))

    async def batch_release(self, request: Any, _: Any) -> lease_service_pb2.BatchReleaseResponse:
        for item in request.items:
            await self._released(item.job_id)
        results = [lease_service_pb2.ReleaseResult(state="pending") for _ in request.items]
        return lease_service_pb2.BatchReleaseResponse(results=results)

    async def release(self, request: Any, _: Any) -> lease_service_pb2.ReleaseResponse:
        await self._released(request.job_id)
        return lease_service_pb2.ReleaseResponse(job=job_pb2.Job(id=request.job_id, state="pending"))

    async def save_checkpoint(self, request: Any, _: Any) -> lease_service_pb2.SaveCheckpointResponse:
        self.checkpoints[request.job_id] = request.checkpoint.content
        return lease_service_pb2.SaveCheckpointResponse(lease=self._status(request.job_id))

    def _fitting(self, request: Any) -> list[job_pb2.Job]:
        return [job for job in self.waiting if not request.kinds or job.kind in request.kinds]

    def _grant(self, request: Any) -> list[lease_pb2.Grant]:
        given = self._fitting(request)[: request.max_leases or 1]
        self.waiting = [job for job in self.waiting if job not in given]
        return [_grant(job, request.lease_duration) for job in given]

    def _renewed(self, item: Any) -> lease_service_pb2.RenewResult:
        if item.job_id in self.refusals:
            return lease_service_pb2.RenewResult(error=self.refusals[item.job_id])
        return lease_service_pb2.RenewResult(lease=self._status(item.job_id))

    def _status(self, job_id: str) -> lease_pb2.LeaseStatus:
        return lease_pb2.LeaseStatus(
            ttl=Duration(seconds=30),
            renew_after=Duration(nanos=50_000_000),
            directive=self.directives.get(job_id, job_pb2.DIRECTIVE_UNSPECIFIED),
            directive_reason="someone said so" if job_id in self.directives else "",
        )

    async def _moved(self, item: Any) -> lease_service_pb2.TransitionResult:
        refused = self.refusals.pop(item.job_id, None)
        if refused is not None:
            return lease_service_pb2.TransitionResult(error=refused)
        async with self.changed:
            self.ends[item.job_id] = item
            self.changed.notify_all()
        return lease_service_pb2.TransitionResult(state=item.to, version=2)

    async def _released(self, job_id: str) -> None:
        async with self.changed:
            self.released.append(job_id)
            self.changed.notify_all()


def _grant(job: job_pb2.Job, duration: Duration) -> lease_pb2.Grant:
    return lease_pb2.Grant(
        job=job,
        token=uuid.uuid4().bytes,
        fence=1,
        attempt=1,
        ttl=duration,
        renew_after=Duration(nanos=50_000_000),
    )
