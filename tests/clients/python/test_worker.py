"""How a worker takes jobs, does them and reports them."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import grpc

from tenure import Reject, RunningJob, Worker
from tenure.model.job import Failure
from tenure.v1 import job_pb2
from tenure.worker.outcome import failure
from tests.clients.python.fake_server import FakeServer, refusal, refuse
from tests.clients.python.lease_board import LeaseBoard
from tests.clients.python.workers import at_work

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


async def test_what_a_plain_handler_returns_becomes_the_result(worker: Worker, board: LeaseBoard) -> None:
    threads = set()

    @worker.handler
    def shout(job: RunningJob) -> bytes:
        threads.add(threading.current_thread())
        return job.payload.upper()

    async with at_work(worker):
        end = await board.ended(await board.put(payload=b"hello"))

    assert (end.to, end.result.content) == ("succeeded", b"HELLO")
    assert threading.current_thread() not in threads


async def test_what_an_async_handler_returns_becomes_the_result(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    async def count(job: RunningJob) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"length": len(job.json())}

    async with at_work(worker):
        end = await board.ended(await board.put(payload=b"[1,2,3]"))

    assert (end.to, end.result.content) == ("succeeded", b'{"length":3}')
    assert end.result.content_type == "application/json"


async def test_a_handler_without_a_result_leaves_none(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def nothing(_: RunningJob) -> None: ...

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert (end.to, end.HasField("result"), end.HasField("error")) == ("succeeded", False, False)


async def test_kinds_without_a_handler_are_not_asked_for(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler(kind="resize")
    def resize(_: RunningJob) -> str:
        return "resized"

    @worker.handler(kind="crop")
    def crop(_: RunningJob) -> str:
        return "cropped"

    async with at_work(worker):
        other = await board.put(kind="sing")
        end = await board.ended(await board.put(kind="crop"))

    assert end.result.content == b"cropped"
    assert other not in board.ends


async def test_an_exception_is_a_failure_that_may_be_tried_again(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def divide(_: RunningJob) -> float:
        return 1 / 0

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.to == "failed"
    assert end.error == job_pb2.Failure(code="ZeroDivisionError", message="division by zero", retryable=True)


async def test_a_rejected_job_is_not_tried_again(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    async def refuse_it(_: RunningJob) -> None:
        raise Reject("not an image", code="bad_input", details={"type": "text"})

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert (end.to, end.error.code, end.error.retryable) == ("failed", "bad_input", False)
    assert end.error.details == {"type": "text"}


def test_what_an_exception_says_is_made_fit_to_be_sent() -> None:
    said = failure(ValueError("a\0b\ud800" + "x" * 100_000))

    assert said.message.startswith("ab?xxx")
    assert len(said.message.encode()) < 65_536


def test_a_failure_is_named_after_its_exception() -> None:
    assert failure(KeyError("id")) == Failure("KeyError", "'id'", retryable=True)


async def test_a_result_that_the_server_refuses_fails_the_job(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def huge(_: RunningJob) -> bytes:
        return b"x" * 100

    job_id = await board.put()
    board.refusals[job_id] = refusal(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="result")

    async with at_work(worker):
        end = await board.ended(job_id)

    assert (end.to, end.error.code, end.error.retryable) == ("failed", "result_refused", False)
    assert not end.HasField("result")


async def test_a_completion_that_meets_a_busy_job_is_sent_again(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def work(_: RunningJob) -> str:
        return "done"

    job_id = await board.put()
    board.refusals[job_id] = refusal(grpc.StatusCode.UNAVAILABLE, "JOB_BUSY", retry_after=0.01)

    async with at_work(worker):
        end = await board.ended(job_id)

    assert (end.to, end.result.content) == ("succeeded", b"done")


async def test_a_completion_that_came_too_late_is_dropped(
    worker: Worker, board: LeaseBoard, fake: FakeServer
) -> None:
    @worker.handler
    def work(job: RunningJob) -> str:
        return job.id

    late = await board.put()
    board.refusals[late] = LOST

    async with at_work(worker):
        await board.ended(await board.put())

    sent = [item.job_id for request in fake.sent("BatchTransition") for item in request.items]
    assert sent.count(late) == 1


async def test_completions_go_together_and_bring_the_next_jobs(
    worker: Worker, board: LeaseBoard, fake: FakeServer
) -> None:
    @worker.handler
    async def work(_: RunningJob) -> None: ...

    jobs = [await board.put() for _ in range(200)]

    async with at_work(worker):
        await board.until(lambda: len(board.ends) == len(jobs))

    transitions = fake.sent("BatchTransition")
    assert len(transitions) <= 60
    assert any(request.HasField("acquire_next") for request in transitions)
    assert len(fake.sent("AcquireLease")) < 10
    moved = [item.job_id for request in transitions for item in request.items]
    assert sorted(moved) == sorted(jobs)


async def test_no_more_jobs_run_at_once_than_allowed(fake: FakeServer, board: LeaseBoard) -> None:
    worker = Worker(fake.target, concurrency=3)
    running, most = 0, 0

    @worker.handler
    async def work(_: RunningJob) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    jobs = [await board.put() for _ in range(12)]

    async with at_work(worker):
        await board.until(lambda: len(board.ends) == len(jobs))

    assert most == 3
    asked = [request.max_leases for request in fake.sent("AcquireLease")]
    assert asked[0] == 3


async def test_asking_again_after_a_lost_answer_is_the_same_call(
    worker: Worker, board: LeaseBoard, fake: FakeServer
) -> None:
    @worker.handler
    def work(_: RunningJob) -> None: ...

    async def lost_first(request: Any, context: Any) -> Any:
        if len(fake.sent("AcquireLease")) == 1:
            await refuse(context, refusal(grpc.StatusCode.INTERNAL))
        return await board.acquire(request, context)

    fake.answers("AcquireLease", lost_first)

    async with at_work(worker):
        await board.ended(await board.put())

    first, second = fake.sent("AcquireLease")[:2]
    assert first == second


async def test_a_completion_whose_answer_was_lost_is_sent_again_with_the_same_wish_for_more(
    worker: Worker, board: LeaseBoard, fake: FakeServer
) -> None:
    @worker.handler
    def work(_: RunningJob) -> None: ...

    async def lost_first(request: Any, context: Any) -> Any:
        if len(fake.sent("BatchTransition")) == 1:
            await refuse(context, refusal(grpc.StatusCode.INTERNAL))
        return await board.batch_transition(request, context)

    fake.answers("BatchTransition", lost_first)

    async with at_work(worker):
        await board.ended(await board.put())

    first, second = fake.sent("BatchTransition")[:2]
    assert first.acquire_next == second.acquire_next
    assert first.items == second.items


async def test_health_counts_from_the_last_success(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def work(_: RunningJob) -> None: ...

    assert worker.last_success_age() == 0
    async with at_work(worker):
        await board.ended(await board.put())
        assert 0 <= worker.last_success_age() < 20
