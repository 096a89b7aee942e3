"""Notifications only speed things up; and what holds jobs back does so from its reply on."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tenure import AsyncClient, Grant, NewJob
from tenure_server.application import Application
from tenure_server.domain.clock import Clock
from tenure_server.settings import Settings
from tests.concurrency.history import Outside
from tests.factories import QUEUE
from tests.fixtures.processes import StartServer, until

POLL = 0.2
WAITERS = 8


@asynccontextmanager
async def waiting_server(dsn: str, target: str, *, notify: bool) -> AsyncIterator[Application]:
    """A server that polls every POLL seconds, on the database's clock."""
    settings = Settings(listen=(target,), poll_interval=timedelta(seconds=POLL), notify=notify)
    application = Application(settings, dsn, Clock())
    await application.start()
    yield application
    await application.drain(0)


@pytest.fixture
async def pair(
    dsn: str, socket_dir: Path, request: pytest.FixtureRequest
) -> AsyncIterator[list[AsyncClient]]:
    """Clients of two servers; the parameter says whether the servers notify each other."""
    targets = [f"unix:{socket_dir}/{name}.sock" for name in ("one", "two")]
    async with (
        waiting_server(dsn, targets[0], notify=request.param),
        waiting_server(dsn, targets[1], notify=request.param),
        AsyncClient(targets[0]) as one,
        AsyncClient(targets[1]) as two,
    ):
        yield [one, two]


@pytest.mark.parametrize("pair", [False], indirect=True, ids=["no notifications"])
async def test_a_waiting_call_gets_its_job_by_polling(pair: list[AsyncClient]) -> None:
    here, there = pair
    for _ in range(5):
        waiting = asyncio.create_task(there.acquire("me", queues=[QUEUE], wait=10))
        await asyncio.sleep(0.02)
        began = time.monotonic()
        job = (await here.create_job(QUEUE)).job

        acquired = await waiting

        assert [grant.job_id for grant in acquired.grants] == [job.id]
        assert time.monotonic() - began < 1.5 * POLL + 0.5


@pytest.mark.parametrize("pair", [False], indirect=True, ids=["no notifications"])
async def test_one_poll_is_enough_for_all_who_wait(pair: list[AsyncClient]) -> None:
    here, there = pair
    waiting = [
        asyncio.create_task(there.acquire(f"w{n}", queues=[QUEUE], wait=10, lease_duration=60))
        for n in range(WAITERS)
    ]
    await asyncio.sleep(0.1)
    began = time.monotonic()
    await here.create_jobs([NewJob(queue=QUEUE) for _ in range(WAITERS)])

    acquired = await asyncio.gather(*waiting)

    assert len({grant.job_id for answer in acquired for grant in answer.grants}) == WAITERS
    assert time.monotonic() - began < 1.5 * POLL + 0.5


@pytest.mark.parametrize("pair", [True], indirect=True, ids=["notifications"])
async def test_no_wakeup_is_lost_while_the_listening_connections_are_terminated(
    pair: list[AsyncClient], outside: Outside
) -> None:
    here, there = pair
    slowest = 0.0
    for _ in range(12):
        waiting = asyncio.create_task(there.acquire("me", queues=[QUEUE], wait=10))
        await asyncio.sleep(0.01)
        began = time.monotonic()
        _, job = await asyncio.gather(terminate_listeners(outside), here.create_job(QUEUE))

        acquired = await waiting

        slowest = max(slowest, time.monotonic() - began)
        assert [grant.job_id for grant in acquired.grants] == [job.job.id]
    assert slowest < 1.5 * POLL + 0.5


@pytest.mark.parametrize("pair", [True], indirect=True, ids=["notifications"])
async def test_a_lost_listener_comes_back_and_leaves_no_connection_behind(
    pair: list[AsyncClient], outside: Outside
) -> None:
    async def both_listen() -> bool:
        return await listeners(outside) == 2

    await until(both_listen, 5)
    await terminate_listeners(outside)

    await until(both_listen, 5)

    assert await listeners(outside) == 2


@pytest.mark.parametrize("pair", [True], indirect=True, ids=["notifications"])
async def test_what_strangers_notify_hurts_nobody(pair: list[AsyncClient], outside: Outside) -> None:
    here, there = pair
    for payload in ("", "junk", "a\x1eb", "a\x1eb\x1fc", "a\x1eqqq\x1fdefault\x1fx\x1fy"):
        await outside.execute("SELECT pg_notify('tenure_wakeup', %s)", [payload])
    waiting = asyncio.create_task(there.acquire("me", queues=[QUEUE], wait=10))
    await asyncio.sleep(0.05)

    job = (await here.create_job(QUEUE)).job

    assert [grant.job_id for grant in (await waiting).grants] == [job.id]
    assert await listeners(outside) == 2


async def test_no_lease_begins_after_a_pause_was_answered(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = [start_server(dsn), start_server(dsn)]
    for server in servers:
        await server.ready()
    async with AsyncClient(servers[0].target) as one, AsyncClient(servers[1].target) as two:
        await one.create_jobs([NewJob(queue=QUEUE) for _ in range(2000)])
        async with hammering([one, two]) as taken:
            for _ in range(5):
                await until(has_grown(taken))

                await two.update_queue(QUEUE, paused=True)

                leased = await leases_granted(outside)
                await asyncio.sleep(0.05)
                assert await leases_granted(outside) == leased
                await one.update_queue(QUEUE, paused=False)


async def test_a_bound_of_one_is_never_overshot_by_two_servers(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = [start_server(dsn), start_server(dsn)]
    for server in servers:
        await server.ready()
    async with AsyncClient(servers[0].target) as one, AsyncClient(servers[1].target) as two:
        await one.update_queue(QUEUE, max_active=1)
        await one.create_jobs([NewJob(queue=QUEUE) for _ in range(2000)])

        async with hammering([one, two], finish=True) as taken:
            await until(lambda: len(taken) >= 40, 30)

    assert await most_at_once(outside) == 1


@asynccontextmanager
async def hammering(clients: list[AsyncClient], *, finish: bool = False) -> AsyncIterator[list[Grant]]:
    """Eight workers that acquire without rest; yields what they got."""
    taken: list[Grant] = []

    async def worker(number: int) -> None:
        client = clients[number % len(clients)]
        while True:
            for grant in (await client.acquire(f"w{number}", queues=[QUEUE], lease_duration=600)).grants:
                taken.append(grant)
                if finish:
                    await client.transition(grant, "succeeded")

    tasks = [asyncio.create_task(worker(number)) for number in range(WAITERS)]
    try:
        yield taken
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def has_grown(taken: list[Grant]) -> Callable[[], bool]:
    """Whether there are 20 more than there are now."""
    enough = len(taken) + 20
    return lambda: len(taken) >= enough


async def leases_granted(outside: Outside) -> int:
    cursor = await outside.execute("SELECT count(*) FROM job_event WHERE reason = 'ACQUIRED'")
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def most_at_once(outside: Outside) -> int:
    """How many jobs were leased at the same moment at most, ends before beginnings."""
    cursor = await outside.execute("""
        SELECT max(held) FROM (
            SELECT sum(CASE reason WHEN 'ACQUIRED' THEN 1 ELSE -1 END)
                   OVER (ORDER BY position, reason <> 'MOVED') AS held
              FROM job_event WHERE reason IN ('ACQUIRED', 'MOVED', 'RELEASED', 'EXPIRED')) AS counted
    """)
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


LISTENERS = "datname = current_database() AND query = 'LISTEN tenure_wakeup'"


async def listeners(outside: Outside) -> int:
    cursor = await outside.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {LISTENERS}")
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def terminate_listeners(outside: Outside) -> None:
    await outside.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {LISTENERS}")
