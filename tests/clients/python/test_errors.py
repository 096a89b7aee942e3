"""Every refusal of the API arrives as an exception of its own."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import grpc
import pytest

from tenure import AsyncClient, Client, errors
from tenure.status import error_from_status
from tenure.v1 import errors_pb2, job_service_pb2
from tests.clients.python.fake_server import FakeServer, refusal, refuses

REASONS = [name.removeprefix("ERROR_REASON_") for name, number in errors_pb2.ErrorReason.items() if number]


def test_every_reason_of_the_api_has_a_class_and_no_class_has_another() -> None:
    assert sorted(errors.BY_REASON) == sorted(REASONS)


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_becomes_its_class_whatever_the_code(reason: str) -> None:
    error = error_from_status(refusal(grpc.StatusCode.UNKNOWN, reason, field="queue"))

    assert type(error) is errors.BY_REASON[reason]
    assert error.reason == reason
    assert error.metadata == {"field": "queue"}


@pytest.mark.parametrize(
    "code, kind",
    [
        (grpc.StatusCode.NOT_FOUND, errors.NotFound),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.BoundReached),
        (grpc.StatusCode.UNAVAILABLE, errors.Unavailable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlineExceeded),
        (grpc.StatusCode.INTERNAL, errors.TenureError),
    ],
)
def test_a_reason_of_a_newer_server_becomes_the_nearest_parent(
    code: grpc.StatusCode, kind: type[errors.TenureError]
) -> None:
    error = error_from_status(refusal(code, "NOT_KNOWN_YET"))

    assert type(error) is kind
    assert error.reason == "NOT_KNOWN_YET"


def test_an_error_survives_pickling_between_processes() -> None:
    error = errors.QueueFull("the queue is full", metadata={"queue": "q"}, retry_after=2.5)

    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy), copy.metadata, copy.retry_after) == (
        errors.QueueFull,
        "the queue is full",
        {"queue": "q"},
        2.5,
    )


async def test_a_refused_call_raises_from_the_error_of_grpc(fake: FakeServer) -> None:
    status = refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", retry_after=1.5, queue="q")
    fake.answers("CreateJob", refuses(status))

    async with AsyncClient(fake.target) as client:
        with pytest.raises(errors.QueueFull) as caught:
            await client.create_job("q")

    assert caught.value.retry_after == 1.5
    assert caught.value.code == "RESOURCE_EXHAUSTED"
    assert caught.value.message == "refused: QUEUE_FULL"
    assert isinstance(caught.value.__cause__, grpc.RpcError)


async def test_the_blocking_client_raises_the_same(fake: FakeServer) -> None:
    fake.answers("Cancel", refuses(refusal(grpc.StatusCode.FAILED_PRECONDITION, "CANNOT_CANCEL")))

    def cancel() -> None:
        with Client(fake.target) as client, pytest.raises(errors.CannotCancel) as caught:
            client.cancel("01890a5d-ac96-774b-bcce-b302099a8057")
        assert isinstance(caught.value.__cause__, grpc.RpcError)

    await asyncio.to_thread(cancel)


async def test_no_answer_in_time_is_deadline_exceeded(fake: FakeServer) -> None:
    async def never(_: Any, __: Any) -> None:
        await asyncio.Event().wait()

    fake.answers("GetJob", never)

    async with AsyncClient(fake.target, timeout=0.05) as client:
        with pytest.raises(errors.DeadlineExceeded):
            await client.get_job("01890a5d-ac96-774b-bcce-b302099a8057")


async def test_nobody_listening_is_unavailable() -> None:
    async with AsyncClient("unix:/nowhere/tenure.sock") as client:
        with pytest.raises(errors.Unavailable) as caught:
            await client.server_info()

    assert caught.value.reason == ""
    assert caught.value.temporary


async def test_grpc_sends_an_unavailable_call_again_with_the_same_request_id(fake: FakeServer) -> None:
    refused = refuses(refusal(grpc.StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE", retry_after=0.01))

    async def third_time(request: Any, context: Any) -> Any:
        if len(fake.sent("CreateJob")) < 3:
            await refused(request, context)
        return job_service_pb2.CreateJobResponse(created=True)

    fake.answers("CreateJob", third_time)

    async with AsyncClient(fake.target) as client:
        created = await client.create_job()

    ids = {request.request_id for request in fake.sent("CreateJob")}
    assert created.created
    assert len(fake.sent("CreateJob")) == 3
    assert len(ids) == 1
    assert ids != {""}


async def test_a_refusal_that_is_not_unavailable_is_not_sent_again(fake: FakeServer) -> None:
    fake.answers("CreateJob", refuses(refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")))

    async with AsyncClient(fake.target) as client:
        with pytest.raises(errors.QueueFull):
            await client.create_job()

    assert len(fake.sent("CreateJob")) == 1
