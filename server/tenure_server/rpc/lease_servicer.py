"""LeaseService: convert, ask the service, convert."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from tenure.v1 import job_pb2, lease_pb2
from tenure.v1 import lease_service_pb2 as pb
from tenure.v1.lease_service_pb2_grpc import LeaseServiceServicer
from tenure_server.domain.command import Acquire, Command, Move, Release
from tenure_server.domain.job import JobRecord
from tenure_server.rpc.batches import Batch, only
from tenure_server.rpc.callers import Context, current, wait_within
from tenure_server.rpc.convert_job import job_to_proto
from tenure_server.rpc.convert_lease import (
    GrantWriter,
    acquire_from_proto,
    acquire_next_from_proto,
    checkpoint_from_proto,
    empty_to_proto,
    move_from_proto,
    release_from_proto,
    release_result_to_proto,
    renew_from_proto,
    renew_result_to_proto,
    report_from_proto,
    transition_result_to_proto,
    wait_from_proto,
    write_lease_status,
)
from tenure_server.rpc.limits import REPLY_BYTES
from tenure_server.rpc.replies import fill
from tenure_server.rpc.validation import Validator
from tenure_server.service.calls import Grant, JobOutcome
from tenure_server.service.leases import Leases
from tenure_server.service.lifecycles import Catalogue

GrantingResponse = pb.AcquireLeaseResponse | pb.TransitionResponse | pb.BatchTransitionResponse


class LeaseServicer(LeaseServiceServicer):
    """For workers."""

    def __init__(self, leases: Leases, catalogue: Catalogue, validator: Validator) -> None:
        self._leases = leases
        self._catalogue = catalogue
        self._validator = validator

    async def AcquireLease(
        self, request: pb.AcquireLeaseRequest, context: Context
    ) -> pb.AcquireLeaseResponse:
        asked, wait = acquire_from_proto(request), wait_within(current(), wait_from_proto(request))
        answer = await self._leases.acquire(current(), asked, wait=wait, request_id=request.request_id)
        if not answer.outcome.grants:
            return empty_to_proto(answer)
        response = pb.AcquireLeaseResponse(replayed=answer.outcome.replayed, waited=answer.waited or None)
        await self._give(response, answer.outcome.grants, answer.outcome.at)
        return response

    async def Renew(self, request: pb.RenewRequest, context: Context) -> pb.RenewResponse:
        response = pb.RenewResponse()
        await self._act(request.job_id, renew_from_proto(request), response.lease)
        return response

    async def BatchRenew(self, request: pb.BatchRenewRequest, context: Context) -> pb.BatchRenewResponse:
        batch = Batch(request.items, self._validator, lambda i: (UUID(i.job_id), renew_from_proto(i)))
        outcomes = await self._leases.act(current(), batch.wanted) if batch.wanted else []
        results = batch.answer(outcomes, renew_result_to_proto, lambda e: pb.RenewResult(error=e))
        return pb.BatchRenewResponse(results=results)

    async def Transition(self, request: pb.TransitionRequest, context: Context) -> pb.TransitionResponse:
        moves = [(UUID(request.job_id), move_from_proto(request))]
        acquire_next = acquire_next_from_proto(request)
        outcomes, grants = await self._leases.move(
            current(), moves, acquire_next, request_id=request.acquire_next.request_id, wants_job=True
        )
        if isinstance(outcomes[0], Exception):
            await self._give_back(grants)
        moved = only(outcomes)
        response = pb.TransitionResponse(job=self._shown(moved.record), replayed=moved.replayed)
        await self._give(response, grants, None)
        return response

    async def BatchTransition(
        self, request: pb.BatchTransitionRequest, context: Context
    ) -> pb.BatchTransitionResponse:
        batch = Batch(request.items, self._validator, lambda i: (UUID(i.job_id), move_from_proto(i)))
        acquire_next = acquire_next_from_proto(request)
        outcomes, grants = await self._move_all(batch.wanted, acquire_next, request.acquire_next.request_id)
        results = batch.answer(
            outcomes,
            lambda outcome: transition_result_to_proto(outcome, self._catalogue),
            lambda error: pb.TransitionResult(error=error),
        )
        response = pb.BatchTransitionResponse(results=results)
        await self._give(response, grants, None)
        return response

    async def Release(self, request: pb.ReleaseRequest, context: Context) -> pb.ReleaseResponse:
        commands = [(UUID(request.job_id), release_from_proto(request))]
        released = only(await self._leases.act(current(), commands, wants_job=True))
        return pb.ReleaseResponse(job=self._shown(released.record), replayed=released.replayed)

    async def BatchRelease(
        self, request: pb.BatchReleaseRequest, context: Context
    ) -> pb.BatchReleaseResponse:
        batch = Batch(request.items, self._validator, lambda i: (UUID(i.job_id), release_from_proto(i)))
        outcomes = await self._leases.act(current(), batch.wanted) if batch.wanted else []
        results = batch.answer(
            outcomes,
            lambda outcome: release_result_to_proto(outcome, self._catalogue),
            lambda error: pb.ReleaseResult(error=error),
        )
        return pb.BatchReleaseResponse(results=results)

    async def ReportProgress(
        self, request: pb.ReportProgressRequest, context: Context
    ) -> pb.ReportProgressResponse:
        response = pb.ReportProgressResponse()
        await self._act(request.job_id, report_from_proto(request), response.lease)
        return response

    async def SaveCheckpoint(
        self, request: pb.SaveCheckpointRequest, context: Context
    ) -> pb.SaveCheckpointResponse:
        response = pb.SaveCheckpointResponse()
        await self._act(request.job_id, checkpoint_from_proto(request), response.lease)
        return response

    async def _act(self, job_id: str, command: Command, status: lease_pb2.LeaseStatus) -> None:
        outcome = only(await self._leases.act(current(), [(UUID(job_id), command)]))
        write_lease_status(status, outcome)

    async def _move_all(
        self, moves: Sequence[tuple[UUID, Move]], acquire_next: Acquire | None, request_id: str
    ) -> tuple[list[JobOutcome | Exception], Sequence[Grant]]:
        if not moves and acquire_next is None:
            return [], ()
        return await self._leases.move(current(), moves, acquire_next, request_id=request_id)

    async def _give(self, response: GrantingResponse, grants: Sequence[Grant], at: datetime | None) -> None:
        """Put in as many grants as the reply has room for; the rest is given back."""
        if grants:
            write = GrantWriter(at, self._catalogue).write
            fit = fill(response.grants, grants, write, REPLY_BYTES - response.ByteSize())
            await self._give_back(grants[fit:])

    async def _give_back(self, grants: Sequence[Grant]) -> None:
        if grants:
            await self._leases.act(current(), [(g.job.id, Release(g.token)) for g in grants])

    def _shown(self, record: JobRecord | None) -> job_pb2.Job | None:
        return job_to_proto(record, self._catalogue) if record is not None else None
