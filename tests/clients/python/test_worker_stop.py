"""How a worker ends: gently, at once, or because it can never get a job."""

from __future__ import annotations

import asyncio
import signal
import threading

import grpc
import pytest

from tenure import AsyncClient, LeaseKeeper, RunningJob, Worker, errors
from tenure.worker.intake import Intake
from tests.clients.python.fake_server import FakeServer, refusal, refuses
from tests.clients.python.lease_board import LeaseBoard
from tests.clients.python.workers import at_work, worker_settings

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


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
            intake = Intake(client, keeper, worker_settings(), (), lambda _: None, lambda: None)
            asked = intake.ask()
            assert asked is not None
            acquired = await client.acquire_leases(asked)

            await intake.close()
            intake.took(asked, acquired.grants)
            await intake.close()

            assert intake.ask() is None
            assert not keeper.holds(acquired.grants[0])
    assert board.released == [job_id]


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
