"""How a worker takes jobs, does them, reports them and stops."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from tenure import AsyncClient, LeaseKeeper, Reject, RunningJob, Worker, errors
from tenure.lease_renewals import RenewalSender
from tenure.model.job import Failure
from tenure.v1 import job_pb2
from tenure.worker.intake import Intake
from tenure.worker.outcome import failure
from tenure.worker.settings import WorkerSettings, default_holder
from tests.clients.python.fake_server import FakeServer, refusal, refuse, refuses
from tests.clients.python.lease_board import LeaseBoard

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


@asynccontextmanager
async def at_work(worker: Worker) -> AsyncIterator[asyncio.Task[None]]:
    """Run the worker for as long as the test needs it, then stop it."""
    task = asyncio.create_task(worker.run_async())
    try:
        yield task
    finally:
        worker.stop(now=True)
        await asyncio.wait_for(task, 20)


@pytest.fixture
def worker(fake: FakeServer) -> Worker:
    return Worker(fake.target, concurrency=4, grace=20)


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


def _settings(lease_duration: float = 30) -> WorkerSettings:
    words = {"success": "succeeded", "failure": "failed", "cancelled": "cancelled", "paused": "paused"}
    return WorkerSettings(
        queues=["q"],
        concurrency=8,
        prefetch=8,
        lease_duration=lease_duration,
        holder="h",
        grace=1,
        wait=1,
        labels={},
        **words,
    )


def test_only_short_jobs_are_leased_ahead() -> None:
    assert _settings(30).prefetched(None) == 0
    assert _settings(30).prefetched(0.01) == 8
    assert _settings(30).prefetched(2.0) == 4
    assert _settings(30).prefetched(60.0) == 0
    assert _settings(2).prefetched(0.4) == 4


async def test_renewals_are_sent_while_an_async_handler_blocks_the_loop(
    worker: Worker, board: LeaseBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The fake server shares the loop, so it answers only afterwards: what counts is the sending.
    sent = threading.Event()
    transmit = RenewalSender.send

    def send(sender: RenewalSender, *arguments: Any) -> None:
        transmit(sender, *arguments)
        sent.set()

    monkeypatch.setattr(RenewalSender, "send", send)

    @worker.handler
    async def hog(_: RunningJob) -> bool:
        return sent.wait(20)

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.result.content == b"true"


async def test_a_cancelled_job_stops_its_async_handler(worker: Worker, board: LeaseBoard) -> None:
    cleaned = asyncio.Event()

    @worker.handler
    async def long(job: RunningJob) -> None:
        board.directives[job.id] = job_pb2.DIRECTIVE_CANCEL
        try:
            await asyncio.Event().wait()
        finally:
            assert job.cancel_reason == "someone said so"
            cleaned.set()

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.to == "cancelled"
    assert cleaned.is_set()


async def test_a_plain_handler_sees_the_cancellation_when_it_checks(
    worker: Worker, board: LeaseBoard
) -> None:
    @worker.handler
    def long(job: RunningJob) -> None:
        board.directives[job.id] = job_pb2.DIRECTIVE_CANCEL
        assert job.cancelled.wait(20)
        job.check()

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.to == "cancelled"


async def test_whatever_a_cancelled_handler_raises_the_job_is_not_failed(
    worker: Worker, board: LeaseBoard
) -> None:
    @worker.handler
    def long(job: RunningJob) -> None:
        board.directives[job.id] = job_pb2.DIRECTIVE_CANCEL
        assert job.cancelled.wait(20)
        raise ConnectionError("the pipe is closed")

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.to == "cancelled"


async def test_a_paused_job_is_moved_and_handed_back_with_its_checkpoint(
    worker: Worker, board: LeaseBoard
) -> None:
    @worker.handler
    def long(job: RunningJob) -> None:
        board.directives[job.id] = job_pb2.DIRECTIVE_PAUSE
        assert job.paused.wait(20)
        job.checkpoint(b"half")
        job.check()

    async with at_work(worker):
        job_id = await board.put()
        await board.until(lambda: job_id in board.released)

    assert board.ends[job_id].to == "paused"
    assert board.checkpoints[job_id] == b"half"


async def test_an_async_handler_awaits_its_checkpoint(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    async def long(job: RunningJob) -> bytes:
        await job.checkpoint(b"more")
        return board.checkpoints[job.id] + (job.last_checkpoint or b"")

    async with at_work(worker):
        end = await board.ended(await board.put(checkpoint=b" than before"))

    assert end.result.content == b"more than before"


async def test_a_checkpoint_refused_for_a_lost_lease_stops_the_work(
    worker: Worker, board: LeaseBoard, fake: FakeServer
) -> None:
    fake.answers("SaveCheckpoint", refuses(LOST))
    stopped = threading.Event()

    @worker.handler(kind="long")
    def long(job: RunningJob) -> None:
        try:
            job.checkpoint(b"late")
        except errors.LeaseLost:
            assert job.lost.is_set()
            stopped.set()
            raise

    @worker.handler(kind="short")
    def short(_: RunningJob) -> None: ...

    async with at_work(worker):
        lost = await board.put(kind="long")
        assert await asyncio.to_thread(stopped.wait, 20)
        await board.ended(await board.put(kind="short"))

    assert lost not in board.ends


async def test_a_lost_lease_stops_the_handler_and_nothing_is_reported(
    worker: Worker, board: LeaseBoard
) -> None:
    stopped = asyncio.Event()

    @worker.handler(kind="long")
    async def long(job: RunningJob) -> None:
        board.refusals[job.id] = LOST
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    @worker.handler(kind="short")
    async def short(_: RunningJob) -> None: ...

    async with at_work(worker):
        lost = await board.put(kind="long")
        await asyncio.wait_for(stopped.wait(), 20)
        await board.ended(await board.put(kind="short"))

    assert lost not in board.ends
    assert lost not in board.released


async def test_progress_is_sent_and_the_last_word_comes_with_the_completion(
    worker: Worker, board: LeaseBoard
) -> None:
    @worker.handler
    def work(job: RunningJob) -> None:
        for done in range(1000):
            job.progress("copy", done + 1, 1000)

    async with at_work(worker):
        end = await board.ended(await board.put())

    assert end.progress == job_pb2.Progress(label="copy", done=1000, total=1000)


async def test_a_stopping_worker_finishes_what_runs_and_hands_back_what_does_not(
    fake: FakeServer, board: LeaseBoard
) -> None:
    worker = Worker(fake.target, concurrency=1, prefetch=1)
    began, go_on = asyncio.Event(), asyncio.Event()

    @worker.handler(kind="short")
    async def short(_: RunningJob) -> None: ...

    @worker.handler(kind="long")
    async def long(_: RunningJob) -> str:
        began.set()
        await go_on.wait()
        return "finished"

    async with at_work(worker) as task:
        for _ in range(5):  # after which the worker knows that jobs are short and leases one ahead
            await board.ended(await board.put(kind="short"))
        running, ahead = await board.put(kind="long"), await board.put(kind="long")
        await asyncio.wait_for(began.wait(), 20)
        await board.until(lambda: not board.waiting)
        renewals = len(fake.sent("BatchRenew"))

        worker.stop()
        await board.until(lambda: ahead in board.released)
        await board.until(lambda: len(fake.sent("BatchRenew")) > renewals + 1)
        assert not task.done()
        go_on.set()
        await asyncio.wait_for(task, 20)

    assert board.ends[running].result.content == b"finished"
    assert ahead not in board.ends
    assert running not in board.released


async def test_a_second_stop_hands_back_at_once_what_still_runs(worker: Worker, board: LeaseBoard) -> None:
    began = asyncio.Event()

    @worker.handler
    async def endless(_: RunningJob) -> None:
        began.set()
        await asyncio.Event().wait()

    async with at_work(worker) as task:
        job_id = await board.put()
        await asyncio.wait_for(began.wait(), 20)
        worker.stop()
        worker.stop(now=True)
        await asyncio.wait_for(task, 20)

    assert board.released == [job_id]
    assert job_id not in board.ends


async def test_a_thread_that_never_ends_neither_holds_up_the_stop_nor_is_its_job_given_away(
    worker: Worker, board: LeaseBoard
) -> None:
    began, over = threading.Event(), threading.Event()
    seen: list[BaseException] = []

    @worker.handler
    def endless(job: RunningJob) -> None:
        began.set()
        over.wait(20)
        try:
            job.check()
        except errors.LeaseLost as error:
            seen.append(error)

    async with at_work(worker) as task:
        await board.put()
        assert await asyncio.to_thread(began.wait, 20)
        worker.stop(now=True)
        await asyncio.wait_for(task, 20)

    over.set()
    for thread in threading.enumerate():
        if thread.name.startswith("tenure-job-"):
            await asyncio.to_thread(thread.join, 20)
    assert not board.released
    assert len(seen) == 1


async def test_jobs_leased_while_the_worker_stops_are_handed_back(
    fake: FakeServer, board: LeaseBoard
) -> None:
    job_id = await board.put()
    with LeaseKeeper(fake.target) as keeper:
        async with AsyncClient(fake.target) as client:
            intake = Intake(client, keeper, _settings(), (), lambda _: None, lambda: None)
            asked = intake.ask()
            assert asked is not None
            acquired = await client.acquire_leases(asked)

            await intake.close()
            intake.took(asked, acquired.grants)
            await intake.close()

            assert intake.ask() is None
            assert not keeper.holds(acquired.grants[0])
    assert board.released == [job_id]


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


@pytest.mark.parametrize(
    "code, reason, kind",
    [
        (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", errors.Unauthenticated),
        (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", errors.InvalidField),
        (grpc.StatusCode.UNIMPLEMENTED, "", errors.TenureError),
    ],
)
async def test_a_worker_that_can_never_get_a_job_ends_with_the_reason(
    fake: FakeServer, code: grpc.StatusCode, reason: str, kind: type[errors.TenureError]
) -> None:
    fake.answers("AcquireLease", refuses(refusal(code, reason)))
    worker = Worker(fake.target)

    @worker.handler
    def work(_: RunningJob) -> None: ...

    with pytest.raises(kind):
        await asyncio.wait_for(worker.run_async(), 20)


async def test_signals_stop_a_worker_first_gently_then_at_once(worker: Worker, board: LeaseBoard) -> None:
    began = asyncio.Event()

    @worker.handler
    async def endless(_: RunningJob) -> None:
        began.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(worker.run_async(signals=True))
    await board.put()
    await asyncio.wait_for(began.wait(), 20)

    signal.raise_signal(signal.SIGTERM)
    await board.until(lambda: True)
    assert not task.done()
    signal.raise_signal(signal.SIGTERM)

    await asyncio.wait_for(task, 20)
    assert len(board.released) == 1


async def test_a_worker_cancelled_from_outside_hands_back_what_it_has(
    worker: Worker, board: LeaseBoard
) -> None:
    began = asyncio.Event()

    @worker.handler
    async def endless(_: RunningJob) -> None:
        began.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(worker.run_async())
    job_id = await board.put()
    await asyncio.wait_for(began.wait(), 20)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert board.released == [job_id]


async def test_health_counts_from_the_last_success(worker: Worker, board: LeaseBoard) -> None:
    @worker.handler
    def work(_: RunningJob) -> None: ...

    assert worker.last_success_age() == 0
    async with at_work(worker):
        await board.ended(await board.put())
        assert 0 <= worker.last_success_age() < 20


async def test_a_worker_without_handlers_does_not_run(worker: Worker) -> None:
    with pytest.raises(ValueError, match="no handler"):
        await worker.run_async()


def test_one_kind_has_one_handler(worker: Worker) -> None:
    def work(_: RunningJob) -> None: ...

    worker.handler(kind="resize")(work)

    with pytest.raises(ValueError, match="two handlers for kind 'resize'"):
        worker.handler(kind="resize")(work)


@pytest.mark.parametrize(
    "change", [{"queues": []}, {"queues": "default"}, {"concurrency": 0}, {"prefetch": -1}, {"grace": -1}]
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Worker("localhost:1", **change)


def test_holders_differ_and_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "h" * 300)

    assert len(default_holder()) <= 128
    assert default_holder() != default_holder()


def test_a_decorated_function_stays_what_it_was(worker: Worker) -> None:
    def work(_: RunningJob) -> None: ...

    decorated: Callable[[RunningJob], None] = worker.handler(work)

    assert decorated is work
