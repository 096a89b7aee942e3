"""What every call goes through, and how it ends."""

import asyncio
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import grpc.aio
import pytest

from tenure.v1 import job_service_pb2, lease_service_pb2, queue_service_pb2
from tenure.v1.job_service_pb2_grpc import JobServiceStub
from tenure.v1.lease_service_pb2_grpc import LeaseServiceStub
from tenure.v1.queue_service_pb2_grpc import QueueServiceStub
from tenure_server.domain import errors
from tenure_server.service.caller import Caller
from tenure_server.service.watching import Seen
from tenure_server.store.events import WatchPosition
from tenure_server.store.queues import StoredQueue
from tests.rpc.edge import JOB_ID, reason, serving, status_of_call

QUEUE = StoredQueue("q", False, None, None, 0, 0)
GET_QUEUE = queue_service_pb2.GetQueueRequest(name="q")


class Queues:
    """Answers with the callers it had, or with an error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.callers: list[Caller] = []
        self.left: list[float] = []
        self._error = error

    async def get(self, caller: Caller, name: str) -> StoredQueue:
        self.callers.append(caller)
        self.left.append(caller.deadline - asyncio.get_running_loop().time())
        if self._error is not None:
            raise self._error
        return QUEUE


async def refusal(channel: grpc.aio.Channel, **said: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await QueueServiceStub(channel).GetQueue(GET_QUEUE, **said)
    return refused.value


async def test_a_call_has_its_scope_and_its_clients_deadline() -> None:
    queues = Queues()
    async with serving(queues=queues) as channel:
        await QueueServiceStub(channel).GetQueue(GET_QUEUE, timeout=7)

    assert queues.callers[0].scope == "default"
    assert 6 < queues.left[0] <= 7


async def test_a_call_without_a_deadline_gets_one() -> None:
    queues = Queues()
    async with serving(queues=queues) as channel:
        await QueueServiceStub(channel).GetQueue(GET_QUEUE)

    assert 29 < queues.left[0] <= 30


async def test_a_call_without_a_deadline_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure_server.rpc.interceptors.DEFAULT_DEADLINE", 0.05)

    async def never(caller: Caller, name: str) -> None:
        await asyncio.Event().wait()

    async with serving(queues=SimpleNamespace(get=never)) as channel:
        refused = await refusal(channel)

    assert refused.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_a_call_with_hardly_any_time_left_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure_server.rpc.callers.LEAST_TIME", 8.0)
    queues = Queues()
    async with serving(queues=queues) as channel:
        refused = await refusal(channel, timeout=7)

    assert refused.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert not queues.callers


async def test_a_refusal_reaches_the_caller_with_its_reason() -> None:
    async with serving(queues=Queues(errors.JobNotFound(JOB_ID))) as channel:
        refused = await refusal(channel)

    assert refused.code() is grpc.StatusCode.NOT_FOUND
    assert refused.details() == f"there is no job {JOB_ID}"
    assert reason(status_of_call(refused)) == "JOB_NOT_FOUND"


async def test_an_accident_is_logged_and_told_without_details(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(queues=Queues(ValueError("hunter2"))) as channel:
        refused = await refusal(channel)

    assert (refused.code(), refused.details()) == (grpc.StatusCode.INTERNAL, "internal error")
    assert not status_of_call(refused).details
    assert "GetQueue failed: builtins.ValueError" in caplog.text
    assert "hunter2" not in caplog.text


async def test_a_cancelled_wait_inside_does_not_leave_the_caller_hanging() -> None:
    async with serving(queues=Queues(asyncio.CancelledError())) as channel:
        refused = await refusal(channel, timeout=10)

    assert refused.code() is grpc.StatusCode.INTERNAL


async def test_a_caller_that_goes_away_ends_its_call() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def wait(*_: object) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with serving(queues=SimpleNamespace(get=wait)) as channel:
        call = QueueServiceStub(channel).GetQueue(GET_QUEUE, timeout=30)
        reply = asyncio.ensure_future(call)
        await began.wait()
        call.cancel()
        await asyncio.wait_for(ended.wait(), 10)
        with pytest.raises(asyncio.CancelledError):
            await reply


async def test_the_log_tells_the_call_and_never_its_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "tenure_server.rpc")
    async with serving(queues=Queues()) as channel:
        await QueueServiceStub(channel).GetQueue(queue_service_pb2.GetQueueRequest(name="secret-queue"))

    assert "/tenure.v1.QueueService/GetQueue OK in" in caplog.text
    assert "secret-queue" not in caplog.text


async def test_an_unknown_method_is_unimplemented() -> None:
    async with serving() as channel:
        call: Any = channel.unary_unary("/tenure.v1.JobService/Nothing")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"")

    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_message_above_the_limit_is_refused() -> None:
    async with serving() as channel:
        call: Any = channel.unary_unary("/tenure.v1.JobService/GetJob")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"x" * (4 * 1024 * 1024 + 1))

    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_wait_takes_four_fifths_of_the_deadline_at_most() -> None:
    waits: list[float] = []

    async def acquire(caller: Caller, asked: object, *, wait: Any, request_id: str) -> None:
        waits.append(wait.total_seconds())
        raise errors.ServerDraining

    request = lease_service_pb2.AcquireLeaseRequest(holder="h", queues=["q"])
    async with serving(leases=SimpleNamespace(acquire=acquire)) as channel:
        stub = LeaseServiceStub(channel)
        for asked, timeout in ((None, 10), (3, 10), (9, 10), (1000, 100), (1000, None)):
            if asked is not None:
                request.wait.seconds = asked
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.AcquireLease(request, timeout=timeout)

    assert waits == [0, 3, pytest.approx(8, abs=0.5), 50, 50]


class Watching:
    """Streams signs of life until it is told to fail or its reader goes."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[object] = []
        self.closed = asyncio.Event()
        self._error = error

    async def watch(
        self, caller: Caller, after: WatchPosition | None, job_id: UUID | None, queue: str | None
    ) -> AsyncIterator[Seen]:
        self.asked.append((after, job_id, queue))
        position = after or WatchPosition(5, JOB_ID, 0, 0)
        try:
            while True:
                position = position._replace(position=position.position + 1)
                yield Seen(None, position)
                if self._error is not None:
                    raise self._error
        finally:
            self.closed.set()


async def test_a_watch_goes_on_where_its_cursor_says() -> None:
    watching = Watching(errors.WatchPositionTooOld())
    request = job_service_pb2.WatchJobsRequest(job_id=str(JOB_ID))
    async with serving(watching=watching) as channel:
        stub = JobServiceStub(channel)
        first: Any = await stub.WatchJobs(request).read()
        request.cursor = first.cursor
        await stub.WatchJobs(request).read()

    assert watching.asked[1] == (WatchPosition(6, JOB_ID, 0, 0), JOB_ID, None)


async def test_a_watch_that_fails_says_why() -> None:
    async with serving(watching=Watching(errors.WatchPositionTooOld())) as channel:
        call = JobServiceStub(channel).WatchJobs(job_service_pb2.WatchJobsRequest())
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            assert [reply async for reply in call]

    assert refused.value.code() is grpc.StatusCode.OUT_OF_RANGE
    assert reason(status_of_call(refused.value)) == "WATCH_POSITION_TOO_OLD"


async def test_a_watch_is_closed_when_its_reader_goes() -> None:
    watching = Watching()
    async with serving(watching=watching) as channel:
        call = JobServiceStub(channel).WatchJobs(job_service_pb2.WatchJobsRequest())
        await call.read()
        call.cancel()
        await asyncio.wait_for(watching.closed.wait(), 10)
