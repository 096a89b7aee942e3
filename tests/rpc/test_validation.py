"""The rules of the proto hold for everyone who calls, whatever client they use."""

from types import SimpleNamespace
from typing import Any

import grpc.aio
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest

from buf.validate import validate_pb2
from tenure.v1 import job_pb2, job_service_pb2, lease_service_pb2, queue_service_pb2
from tenure.v1.job_service_pb2_grpc import JobServiceStub
from tenure.v1.lease_service_pb2_grpc import LeaseServiceStub
from tenure.v1.queue_service_pb2_grpc import QueueServiceStub
from tenure_server.rpc import limits
from tenure_server.service.calls import CreateOutcome
from tests.rpc.edge import JOB_ID, TOKEN, detail, reason, serving, status_of_call

ID = str(JOB_ID)


def create(**said: Any) -> job_service_pb2.CreateJobRequest:
    return job_service_pb2.CreateJobRequest(job=job_pb2.NewJob(**said))


def acquire(**said: Any) -> lease_service_pb2.AcquireLeaseRequest:
    return lease_service_pb2.AcquireLeaseRequest(**({"holder": "h", "queues": ["q"]} | said))


def get(**said: Any) -> job_service_pb2.GetJobRequest:
    return job_service_pb2.GetJobRequest(job_id=ID, **said)


def listed(**said: Any) -> job_service_pb2.ListJobsRequest:
    return job_service_pb2.ListJobsRequest(**said)


BROKEN: list[tuple[str, Message, str]] = [
    ("NUL in a failure", lease_service_pb2.TransitionRequest(
        job_id=ID, token=TOKEN, to="failed", error=job_pb2.Failure(message="a\0b")), "error.message"),
    ("NUL in a label", create(labels={"a": "b\0"}), 'job.labels["a"]'),
    ("NUL in a holder", acquire(holder="a\0"), "holder"),
    ("line break in a holder", acquire(holder="a\nb"), "holder"),
    ("NUL in a cancel reason", job_service_pb2.CancelRequest(job_id=ID, reason="\0"), "reason"),
    ("oversize document", create(payload={"content": b"x" * (2**20 + 1)}), "job.payload.content"),
    ("oversize name", create(queue="q" * 129), "job.queue"),
    ("too many labels", create(labels={str(n): "" for n in range(65)}), "job.labels"),
    ("too many queues", acquire(queues=[str(n) for n in range(17)]), "queues"),
    ("a queue twice", acquire(queues=["q", "q"]), "queues"),
    ("an odd queue among good ones", acquire(queues=["q", "not a name"]), "queues[1]"),
    ("unknown view", get(view=77), "view"),
    ("unknown phase", listed(phases=[1, 77]), "phases[1]"),
    ("unspecified phase", listed(phases=[0]), "phases[0]"),
    ("unknown visibility", listed(visibility=9), "visibility"),
    ("negative wait", acquire(wait=Duration(seconds=-1)), "wait"),
    ("lease too short", acquire(lease_duration=Duration(nanos=99_999_999)), "lease_duration"),
    ("lease too long", acquire(lease_duration=Duration(seconds=86_401)), "lease_duration"),
    ("negative delay", job_service_pb2.RetryRequest(job_id=ID, delay=Duration(nanos=-1)), "delay"),
    ("negative page", listed(page_size=-1), "page_size"),
    ("negative version", job_service_pb2.PauseRequest(job_id=ID, expected_version=-1), "expected_version"),
    ("priority out of bounds", create(priority=1001), "job.priority"),
    ("attempts out of bounds", create(retry_policy=job_pb2.RetryPolicy(max_attempts=1_000_001)),
     "job.retry_policy.max_attempts"),
    ("not a number", create(retry_policy=job_pb2.RetryPolicy(multiplier=float("nan"))),
     "job.retry_policy.multiplier"),
    ("no job", job_service_pb2.CreateJobRequest(), "job"),
    ("no job id", job_service_pb2.GetJobRequest(), "job_id"),
    ("a job id that is none", job_service_pb2.GetJobRequest(job_id="1"), "job_id"),
    ("no token", lease_service_pb2.RenewRequest(job_id=ID), "token"),
    ("a token too long", lease_service_pb2.RenewRequest(job_id=ID, token=b"x" * 65), "token"),
    ("done beyond total", lease_service_pb2.RenewRequest(
        job_id=ID, token=TOKEN, progress=job_pb2.Progress(done=3, total=2)), "progress"),
    ("neither job nor queue", acquire(queues=[]), "request"),
    ("job and queue", acquire(job_id=ID), "request"),
    ("odd request id", job_service_pb2.PauseRequest(job_id=ID, request_id="with space"), "request_id"),
    ("no items", lease_service_pb2.BatchRenewRequest(), "items"),
    ("too many items", lease_service_pb2.BatchReleaseRequest(
        items=[lease_service_pb2.ReleaseRequest()] * 501), "items"),
    ("odd acquire_next", lease_service_pb2.TransitionRequest(
        job_id=ID, token=TOKEN, to="succeeded", acquire_next=acquire(holder="")), "acquire_next.holder"),
    ("result and error", lease_service_pb2.TransitionRequest(
        job_id=ID, to="x", result=job_pb2.Document(), error=job_pb2.Failure()), "request"),
    ("unnamed queue", queue_service_pb2.GetQueueRequest(), "name"),
    ("cursor too long", job_service_pb2.WatchJobsRequest(cursor="x" * 513), "cursor"),
    ("a time without calendar", listed(
        created_from={"seconds": 2**62}), "created_from"),
    ("nothing to update", job_service_pb2.UpdateJobRequest(job_id=ID), "pinned"),
    ("a foreign page token", listed(page_token="x"), "page_token"),
    ("a foreign cursor", job_service_pb2.WatchJobsRequest(cursor="x"), "cursor"),
]  # fmt: skip


async def send(channel: grpc.aio.Channel, request: Message) -> object:
    """Call the method that takes this request."""
    name = type(request).__name__.removesuffix("Request")
    for stub in (JobServiceStub(channel), LeaseServiceStub(channel), QueueServiceStub(channel)):
        if (method := getattr(stub, name, None)) is not None:
            call = method(request, timeout=10)
            return await (call.read() if name == "WatchJobs" else call)
    raise LookupError(name)


@pytest.mark.parametrize("request_,field", [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
async def test_a_broken_rule_is_refused_before_any_service_sees_it(request_: Message, field: str) -> None:
    async with serving() as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await send(channel, request_)

    status = status_of_call(refused.value)
    (violation,) = detail(status, BadRequest).field_violations
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason(status) == "INVALID_FIELD"
    assert violation.field == field
    assert violation.description


async def test_a_broken_item_hurts_no_other() -> None:
    asked: list[Any] = []

    async def make(caller: object, creations: list[Any]) -> list[CreateOutcome]:
        asked.extend(creations)
        return [CreateOutcome(JOB_ID, True, "pending", 0) for _ in creations]

    items = [
        create(queue="a"),
        create(queue="not a name"),
        create(queue="b"),
        create(schedule_time={"nanos": -1}),
    ]
    async with serving(jobs=SimpleNamespace(create=make)) as channel:
        reply = await JobServiceStub(channel).BatchCreateJobs(
            job_service_pb2.BatchCreateJobsRequest(items=items)
        )

    assert [creation.new.queue for creation in asked] == ["a", "b"]
    assert [result.job_id for result in reply.results] == [ID, "", ID, ""]
    assert [reason(result.error) for result in reply.results if result.HasField("error")] == [
        "INVALID_FIELD",
        "INVALID_FIELD",
    ]


async def test_a_batch_of_broken_items_is_answered_without_asking_anyone() -> None:
    async with serving() as channel:
        stub = LeaseServiceStub(channel)
        renewed = await stub.BatchRenew(lease_service_pb2.BatchRenewRequest(items=[{"job_id": "x"}]))
        moved = await stub.BatchTransition(lease_service_pb2.BatchTransitionRequest(items=[{"job_id": "x"}]))

    assert reason(renewed.results[0].error) == reason(moved.results[0].error) == "INVALID_FIELD"


async def test_bytes_that_are_no_message_are_the_callers_fault() -> None:
    async with serving() as channel:
        call: Any = channel.unary_unary("/tenure.v1.JobService/GetJob")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"\xff\xff\xff")

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason(status_of_call(refused.value)) == "INVALID_FIELD"


def rules(message: type[Message], field: str) -> Any:
    return message.DESCRIPTOR.fields_by_name[field].GetOptions().Extensions[validate_pb2.field]  # type: ignore[index]


def test_the_limits_told_are_those_of_the_rules() -> None:
    lease = rules(lease_service_pb2.AcquireLeaseRequest, "lease_duration").duration

    assert (lease.gte.ToTimedelta(), lease.lte.ToTimedelta()) == (limits.MIN_LEASE, limits.MAX_LEASE)
    assert rules(job_pb2.Document, "content").bytes.max_len == limits.MAX_DOCUMENT_BYTES
    assert rules(job_pb2.NewJob, "labels").map.max_pairs == limits.MAX_LABELS
    for batch in (job_service_pb2.BatchCreateJobsRequest, lease_service_pb2.BatchRenewRequest):
        assert rules(batch, "items").repeated.max_items == limits.MAX_BATCH_ITEMS
