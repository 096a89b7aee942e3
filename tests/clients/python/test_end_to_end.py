"""The worker against a real server: real leases, real time, as short as can be."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tenure import AsyncClient, Client, Job, Paused, Reject, RetryPolicy, RunningJob, Worker
from tenure.testing.server import TenureServer

LEASE = 1.0


@pytest.fixture
async def client(tenure_server: TenureServer) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(tenure_server.target) as client:
        yield client


@asynccontextmanager
async def working(worker: Worker) -> AsyncIterator[None]:
    """Run the worker beside the test, and stop it."""
    running = asyncio.create_task(worker.run_async())
    yield
    worker.stop()
    await asyncio.wait_for(running, 20)


def make_worker(server: TenureServer, queue: str, **settings: Any) -> Worker:
    return Worker(server.target, queues=[queue], lease_duration=LEASE, grace=10, **settings)


async def ended(client: AsyncClient, *jobs: Job) -> list[Job]:
    return [await client.wait_job(job.id, 20) for job in jobs]


async def test_the_fixture_serves_a_blocking_client(tenure_client: Client) -> None:
    created = await asyncio.to_thread(tenure_client.create_job, "blocking", payload=b"x")

    assert created.created


async def test_plain_and_async_handlers_do_the_jobs_of_their_kind(
    tenure_server: TenureServer, client: AsyncClient
) -> None:
    worker = make_worker(tenure_server, "kinds")

    @worker.handler(kind="plain")
    def plain(job: RunningJob) -> bytes:
        return job.payload[::-1]

    @worker.handler
    async def other(job: RunningJob) -> dict[str, int]:
        return {"length": len(job.payload)}

    async with working(worker):
        one = (await client.create_job("kinds", kind="plain", payload=b"abc")).job
        two = (await client.create_job("kinds", kind="else", payload=b"abc")).job
        first, second = await ended(client, one, two)

    assert first.result is not None
    assert second.result is not None
    assert (first.result.content, second.result.content) == (b"cba", b'{"length":3}')


async def test_many_jobs_are_each_done_once(tenure_server: TenureServer, client: AsyncClient) -> None:
    from tenure import NewJob

    done: list[str] = []
    worker = make_worker(tenure_server, "many", concurrency=16)

    @worker.handler
    async def work(job: RunningJob) -> None:
        done.append(job.id)

    made = await client.create_jobs([NewJob(queue="many") for _ in range(500)])
    async with working(worker):
        await ended(client, *[await client.get_job(m.job_id) for m in made if not isinstance(m, Exception)])

    assert len(done) == len(set(done)) == 500


async def test_a_job_longer_than_its_lease_keeps_it(tenure_server: TenureServer, client: AsyncClient) -> None:
    worker = make_worker(tenure_server, "long")

    @worker.handler
    def busy(job: RunningJob) -> int:
        until = time.monotonic() + LEASE * 2.5
        while time.monotonic() < until:  # never lets go of the interpreter by itself
            pass
        return job.fence

    async with working(worker):
        job = (await client.create_job("long", retry=RetryPolicy(max_attempts=3))).job
        (job,) = await ended(client, job)

    assert (job.state, job.attempt, job.fence) == ("succeeded", 1, 1)


async def test_failures_are_tried_again_and_rejections_are_not(
    tenure_server: TenureServer, client: AsyncClient
) -> None:
    worker = make_worker(tenure_server, "failing")
    policy = RetryPolicy(max_attempts=3, initial_delay=0.01)

    @worker.handler(kind="flaky")
    def flaky(job: RunningJob) -> str:
        if job.attempt < 3:
            raise ValueError("not yet")
        return "at last"

    @worker.handler(kind="hopeless")
    def hopeless(job: RunningJob) -> None:
        raise Reject("never", code="bad_input")

    async with working(worker):
        one = (await client.create_job("failing", kind="flaky", retry=policy)).job
        two = (await client.create_job("failing", kind="hopeless", retry=policy)).job
        flaky_job, hopeless_job = await ended(client, one, two)

    assert (flaky_job.state, flaky_job.attempt) == ("succeeded", 3)
    assert (hopeless_job.state, hopeless_job.attempt) == ("failed", 1)
    assert hopeless_job.error is not None
    assert hopeless_job.error.code == "bad_input"


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_a_cancelled_job_stops(tenure_server: TenureServer, client: AsyncClient, kind: str) -> None:
    queue = f"cancel-{kind}"
    worker = make_worker(tenure_server, queue)
    started = threading.Event()

    @worker.handler(kind="plain")
    def plain(job: RunningJob) -> None:
        started.set()
        job.cancelled.wait(10)
        job.check()

    @worker.handler(kind="async")
    async def patient(job: RunningJob) -> None:
        started.set()
        await asyncio.sleep(60)

    async with working(worker):
        job = (await client.create_job(queue, kind=kind)).job
        await asyncio.to_thread(started.wait, 10)
        await client.cancel(job.id, "enough")
        (job,) = await ended(client, job)

    assert (job.state, job.cancel_reason) == ("cancelled", "enough")


async def test_a_paused_job_goes_on_from_its_checkpoint(
    tenure_server: TenureServer, client: AsyncClient
) -> None:
    worker = make_worker(tenure_server, "pausing")
    started = threading.Event()

    @worker.handler
    def work(job: RunningJob) -> bytes:
        if job.last_checkpoint is not None:
            return job.last_checkpoint + b", done"
        started.set()
        job.paused.wait(10)
        job.checkpoint(b"half")
        raise Paused

    async with working(worker):
        job = (await client.create_job("pausing")).job
        await asyncio.to_thread(started.wait, 10)
        await client.pause(job.id)
        await client.wait_job(job.id, 10, states=["paused"])
        await _until(lambda: client.resume(job.id))
        (job,) = await ended(client, job)

    assert job.result is not None
    assert job.result.content == b"half, done"


async def _until(call: Callable[[], Any]) -> None:
    """Repeat a call while the holder has not handed the job back."""
    from tenure.errors import StillDraining

    for _ in range(100):
        try:
            await call()
        except StillDraining:
            await asyncio.sleep(0.02)
        else:
            return
    pytest.fail("the job was never handed back")


async def test_a_stopped_worker_finishes_what_it_began_and_hands_back_the_rest(
    tenure_server: TenureServer, client: AsyncClient
) -> None:
    from tenure import NewJob

    worker = make_worker(tenure_server, "stopping", concurrency=2)
    started, go_on = threading.Event(), threading.Event()

    @worker.handler
    def work(job: RunningJob) -> None:
        started.set()
        go_on.wait(10)

    made = await client.create_jobs([NewJob(queue="stopping") for _ in range(6)])
    running = asyncio.create_task(worker.run_async())
    await asyncio.to_thread(started.wait, 10)
    worker.stop()
    await asyncio.sleep(LEASE * 1.5)
    go_on.set()
    await asyncio.wait_for(running, 20)

    jobs = [await client.get_job(m.job_id) for m in made if not isinstance(m, Exception)]
    assert all(job.attempt == 1 and job.lease is None for job in jobs)
    assert 1 <= sum(job.state == "succeeded" for job in jobs) <= 2
    assert {job.state for job in jobs} == {"succeeded", "pending"}
