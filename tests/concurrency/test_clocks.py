"""The database's clock decides; those of servers and clients may be hours off."""

import asyncio
import os
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tenure import AsyncClient, EmptyReason, RetryPolicy, errors
from tenure_server.application import Application
from tenure_server.domain.clock import Clock
from tenure_server.settings import Settings
from tests.concurrency.history import Outside
from tests.factories import LEASE, QUEUE, acquire_one, leased_job, new_job
from tests.fixtures.processes import ServerProcess, StartServer, until
from tests.fixtures.server import Server

HOUR = timedelta(hours=1)
SECONDS = 10  # what a loaded machine takes between two readings; the clocks are hours off
QUEUES = ["leased", "later", "failed", "limited"]

LET_LAPSE = """
    UPDATE job SET lease_expire_time = clock_timestamp() - interval '1 ms',
                   lease_check_time = clock_timestamp() - interval '1 ms' WHERE id = %s
"""
MOVE_ALL_BY_AN_HOUR = """
    UPDATE job SET lease_expire_time = lease_expire_time - %s, lease_check_time = lease_check_time - %s,
                   schedule_time = schedule_time - %s, expire_time = expire_time - %s
"""
SET_ZONE = (
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), '{}'); END $$"
)


async def database_time(outside: Outside) -> datetime:
    cursor = await outside.execute("SELECT clock_timestamp()")
    row = await cursor.fetchone()
    assert row is not None
    assert isinstance(row[0], datetime)
    return row[0]


def seconds_between(one: datetime, other: datetime | None) -> float:
    assert other is not None
    return abs((one - other).total_seconds())


async def test_servers_two_hours_fast_and_slow_agree_with_the_database(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = [start_server(dsn, hours=2), start_server(dsn, hours=-2)]
    for server in servers:
        await server.ready()
    async with AsyncClient(servers[0].target) as fast, AsyncClient(servers[1].target) as slow:
        assert [await wrong_by(client) for client in (fast, slow)] == [2, -2]
        now = await database_time(outside)
        jobs = await jobs_that_wait_an_hour(fast, slow, now)

        for server, other in (servers, servers[::-1]):
            await a_sweep(server, other, outside)

        for client in (fast, slow):
            nothing = await client.acquire("other", queues=QUEUES)
            assert nothing.empty_reason is EmptyReason.SCHEDULED_LATER
        for job in [await fast.get_job(job_id) for job_id in jobs]:
            assert job.end_time is None
            assert seconds_between(now, job.update_time) < SECONDS
        lease = (await slow.get_job(jobs[0])).lease
        assert lease is not None
        assert seconds_between(now + HOUR, lease.expire_time) < SECONDS

        await outside.execute(MOVE_ALL_BY_AN_HOUR, [HOUR] * 4)

        async def all_are_over() -> bool:
            states = [(await slow.get_job(job_id)).state for job_id in jobs]
            return states == ["pending"] * 3 + ["failed"]

        await until(all_are_over)
        got: set[str] = set()
        async with asyncio.timeout(10):
            while len(got) < 3:
                acquired = await fast.acquire("other", queues=QUEUES, max_leases=9, wait=1)
                got |= {grant.job_id for grant in acquired.grants}
        assert got == set(jobs[:3])


async def wrong_by(client: AsyncClient) -> int:
    """How many hours the server's clock is ahead of the database's."""
    return round((await client.server_info()).clock_offset / 3600)


async def jobs_that_wait_an_hour(fast: AsyncClient, slow: AsyncClient, now: datetime) -> list[str]:
    """A lease, a schedule, a backoff and a deadline: each is over in an hour at most."""
    leased = await new_job(slow, queue="leased", retry_attempts=2)
    await acquire_one(slow, leased, lease_duration=3600)
    later = await new_job(slow, queue="later", schedule_time=now + HOUR)
    failed = await new_job(fast, queue="failed", retry=RetryPolicy(2, 3600, 3600))
    await fast.transition(await acquire_one(fast, failed), "failed")
    limited = await new_job(slow, queue="limited", expire_time=now + HOUR, schedule_time=now + 2 * HOUR)
    return [leased.id, later.id, failed.id, limited.id]


async def a_sweep(server: ServerProcess, other: ServerProcess, outside: Outside) -> None:
    """Wait until the sweep of one server has been by: a lease that is over is ended."""
    os.kill(other.pid, signal.SIGSTOP)
    async with AsyncClient(server.target) as client:
        grant = await acquire_one(client, await new_job(client, queue="sentinel"), lease_duration=600)
        await outside.execute(LET_LAPSE, [grant.job_id])
        assert (await client.wait_job(grant.job_id, 10)).state == "failed"
    os.kill(other.pid, signal.SIGCONT)


@pytest.mark.parametrize("hours", [-2, 0, 2])
async def test_the_clock_of_the_process_moves_nothing(
    client: AsyncClient, server: Server, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """Server and client are both in this process; the database's time is the hand-driven one."""
    nanoseconds = time.time_ns  # noqa: TID251 - the clock of the process is what this test is about
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() + hours * 3600 * 10**9)
    grant = await leased_job(client, retry_attempts=2)
    later = await new_job(client, schedule_time=server.clock.now + HOUR)

    server.clock.move(seconds=LEASE, microseconds=-1)
    assert [await sweep() for sweep in (server.reap, server.promote, server.expire)] == [0, 0, 0]
    assert (await client.renew(grant)).ttl == LEASE
    server.clock.move(seconds=LEASE)
    assert await server.reap() == 1
    with pytest.raises(errors.LeaseLost):
        await client.renew(grant)
    server.clock.move(hours=1)
    assert await server.promote() == 1

    acquired = await client.acquire("other", queues=[QUEUE], max_leases=5)
    assert [(g.job_id, g.fence) for g in acquired.grants] == [(grant.job_id, 2), (later.id, 1)]


async def test_time_zones_move_nothing(
    dsn: str, socket_dir: Path, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    await outside.execute(SET_ZONE.format("America/Sao_Paulo"))
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    target = f"unix:{socket_dir}/zone.sock"
    application = Application(Settings(listen=(target,)), dsn, Clock())
    await application.start()
    async with AsyncClient(target) as client:
        due = await database_time(outside) + timedelta(seconds=60)
        job = await new_job(client, schedule_time=due)
        nothing = await client.acquire("me", queues=[QUEUE])

    await application.drain(0)
    monkeypatch.undo()
    time.tzset()
    assert nothing.poll_after is not None
    assert 60 - SECONDS < nothing.poll_after <= 60
    assert job.schedule_time == due
    assert job.schedule_time is not None
    assert job.schedule_time.tzinfo is UTC
    assert seconds_between(due, job.create_time) < 60 + SECONDS
