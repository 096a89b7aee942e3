"""How a worker keeps its leases and obeys what is asked of it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import grpc
import pytest

from tenure import RunningJob, Worker, errors
from tenure.lease_renewals import RenewalSender
from tenure.v1 import job_pb2
from tests.clients.python.fake_server import FakeServer, refusal, refuses
from tests.clients.python.lease_board import LeaseBoard
from tests.clients.python.workers import at_work

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


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
