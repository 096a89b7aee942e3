"""Callers that use the generated stubs alone, so that no client library counts."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import grpc.aio
from google.protobuf.duration_pb2 import Duration

from benchmarks.cycle import DONE, HOLDER, LEASE_SECONDS, PAYLOAD, QUEUE, Leased, Plan, Sample, measure
from tenure.v1 import job_pb2, job_service_pb2, lease_service_pb2
from tenure.v1.job_service_pb2_grpc import JobServiceStub
from tenure.v1.lease_service_pb2_grpc import LeaseServiceStub

MESSAGE_BYTES = 4 * 1024 * 1024
DEADLINE = 30.0
CALLERS_PER_CONNECTION = 50

OPTIONS = [
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.use_local_subchannel_pool", 1),
]


def measure_grpc(target: str, plan: Plan) -> Sample:
    """Carry out a plan against a server, from this process."""
    return asyncio.run(_measure(target, plan))


async def _measure(target: str, plan: Plan) -> Sample:
    kind = SingleCaller if plan.batch == 1 else BatchCaller
    async with AsyncExitStack() as opened:
        channels = [
            await opened.enter_async_context(grpc.aio.insecure_channel(target, options=OPTIONS))
            for _ in range(-(-plan.callers // CALLERS_PER_CONNECTION))
        ]
        return await measure([kind(channels[n % len(channels)]) for n in range(plan.callers)], plan)


class SingleCaller:
    """One job per call."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._jobs = JobServiceStub(channel)
        self._leases = LeaseServiceStub(channel)

    async def create(self, count: int) -> None:
        await self._jobs.CreateJob(_new_job(), timeout=DEADLINE)

    async def acquire(self, count: int) -> Sequence[Leased]:
        return _leased(await self._leases.AcquireLease(_wanted(count), timeout=DEADLINE))

    async def finish(self, leased: Sequence[Leased]) -> None:
        (job,) = leased
        await self._leases.Transition(_finished(job), timeout=DEADLINE)


class BatchCaller:
    """Many jobs per call."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._jobs = JobServiceStub(channel)
        self._leases = LeaseServiceStub(channel)

    async def create(self, count: int) -> None:
        wanted = job_service_pb2.BatchCreateJobsRequest(items=[_new_job() for _ in range(count)])
        answer = await self._jobs.BatchCreateJobs(wanted, timeout=DEADLINE)
        _require_all(sum(result.created for result in answer.results), count)

    async def acquire(self, count: int) -> Sequence[Leased]:
        return _leased(await self._leases.AcquireLease(_wanted(count), timeout=DEADLINE))

    async def finish(self, leased: Sequence[Leased]) -> None:
        wanted = lease_service_pb2.BatchTransitionRequest(items=[_finished(job) for job in leased])
        answer = await self._leases.BatchTransition(wanted, timeout=DEADLINE)
        _require_all(sum(result.state == DONE for result in answer.results), len(leased))


def _new_job() -> job_service_pb2.CreateJobRequest:
    return job_service_pb2.CreateJobRequest(
        job=job_pb2.NewJob(queue=QUEUE, payload=job_pb2.Document(content=PAYLOAD))
    )


def _wanted(count: int) -> lease_service_pb2.AcquireLeaseRequest:
    return lease_service_pb2.AcquireLeaseRequest(
        holder=HOLDER, queues=[QUEUE], max_leases=count, lease_duration=Duration(seconds=LEASE_SECONDS)
    )


def _leased(answer: lease_service_pb2.AcquireLeaseResponse) -> list[Leased]:
    return [Leased(grant.job.id, grant.token) for grant in answer.grants]


def _finished(job: Leased) -> lease_service_pb2.TransitionRequest:
    return lease_service_pb2.TransitionRequest(job_id=job.id, token=job.token, to=DONE)


def _require_all(done: int, wanted: int) -> None:
    if done != wanted:
        raise RuntimeError(f"{wanted - done} of {wanted} items were refused")
