"""What was answered OK is there after every crash, and the service comes back by itself."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from tenure import AsyncClient, Grant, TenureError, errors
from tests.concurrency.history import check_ends_once, check_leases, read_history
from tests.factories import QUEUE, leased_job
from tests.fixtures.crashing_postgres import CrashingPostgres, crashing_postgres
from tests.fixtures.processes import ServerProcess, StartServer, until
from tests.fixtures.proxy import proxied_database
from tests.fixtures.server import running_server
from tests.fixtures.service import HandDrivenClock

WORKERS = 6
BACK_WITHIN = 10.0


@dataclass
class Told:
    """What callers were told: ids of jobs created and done, and every refusal."""

    created: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    refusals: list[TenureError] = field(default_factory=list)
    stopping: bool = False


@pytest.fixture
async def postgres() -> AsyncIterator[CrashingPostgres]:
    """A durable cluster of the test's own."""
    with tempfile.TemporaryDirectory(prefix="tc-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        async with crashing_postgres(Path(name)) as cluster:
            yield cluster


@pytest.fixture
def no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that show every failure instead of asking again."""
    from tenure import channel

    options = [option for option in channel._OPTIONS if option[0] != "grpc.enable_retries"]
    monkeypatch.setattr(channel, "_OPTIONS", (*options, ("grpc.enable_retries", 0)))


@pytest.mark.usefixtures("no_retries")
async def test_what_was_answered_survives_crashes_of_server_and_database(
    postgres: CrashingPostgres, start_server: StartServer
) -> None:
    server = start_server(postgres.dsn)
    await server.ready()
    told = Told()

    async with at_work(server, told):
        await more(told)
        server.kill()
        server.start()
        await more(told)
        await postgres.crash()
        await postgres.start()
        await more(told)
        await terminate_backends(postgres.dsn)
        await more(told)
        server.kill()
        await postgres.crash()
        await postgres.start()
        server.start()
        await more(told)

    await check_all_is_there(postgres.dsn, told)


@pytest.mark.usefixtures("no_retries")
async def test_an_outage_of_the_database_is_told_as_one_and_ends_by_itself(
    postgres: CrashingPostgres, start_server: StartServer
) -> None:
    server = start_server(postgres.dsn)
    await server.ready()
    pid = server.pid
    told = Told()

    async with at_work(server, told):
        await more(told)
        await postgres.crash()
        refused = len(told.refusals)
        await until(lambda: len(told.refusals) > refused + 50)
        await postgres.start()
        await more(told, BACK_WITHIN)

    assert {type(refusal) for refusal in told.refusals} <= {errors.DatabaseUnavailable, errors.OutcomeUnknown}
    assert all(refusal.retry_after for refusal in told.refusals)
    assert server.pid == pid
    assert await asyncio.to_thread(server.stop) == 0
    await check_all_is_there(postgres.dsn, told)


async def test_calls_end_at_their_deadline_when_the_database_falls_silent(
    dsn: str, socket_dir: Path, clock: HandDrivenClock
) -> None:
    async with (
        proxied_database(dsn) as (proxy, through),
        running_server(through, f"unix:{socket_dir}/one.sock", clock) as server,
        AsyncClient(server.target, timeout=0.5) as client,
    ):
        grant = await leased_job(client)
        proxy.deaf = proxy.dumb = True
        began = time.monotonic()
        calls = [client.renew(grant), client.get_job(grant.job_id), client.create_job(QUEUE)] * 10
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert time.monotonic() - began < 1.5
        assert {type(answer) for answer in answers} <= {errors.DeadlineExceeded, errors.DatabaseUnavailable}

        proxy.heal()

        await until(lambda: answers_again(client, grant), BACK_WITHIN)


async def answers_again(client: AsyncClient, grant: Grant) -> bool:
    try:
        await client.renew(grant)
        await client.get_job(grant.job_id)
    except (errors.Unavailable, errors.DeadlineExceeded):
        return False
    return True


@asynccontextmanager
async def at_work(server: ServerProcess, told: Told) -> AsyncIterator[None]:
    """Workers that create jobs and finish them, until the block ends."""
    async with asyncio.TaskGroup() as group:
        for number in range(WORKERS):
            group.create_task(worker(server, f"worker-{number}", told))
        try:
            yield
        finally:
            told.stopping = True


async def worker(server: ServerProcess, name: str, told: Told) -> None:
    async with AsyncClient(server.target, wait_for_ready=True, timeout=5) as client:
        while not told.stopping:
            try:
                await create_and_finish(client, name, told)
            except errors.TenureError as refusal:
                told.refusals.append(refusal)
                await asyncio.sleep(0.02)


async def create_and_finish(client: AsyncClient, name: str, told: Told) -> None:
    job = (await client.create_job(QUEUE)).job
    told.created.add(job.id)
    for grant in (await client.acquire(name, queues=[QUEUE], lease_duration=60)).grants:
        await client.save_checkpoint(grant, grant.job_id)
        await client.transition(grant, "succeeded", result=grant.job_id)
        told.done.add(grant.job_id)


async def more(told: Told, seconds: float = 20.0) -> None:
    """Wait until the workers have got on."""
    done = len(told.done)
    await until(lambda: len(told.done) >= done + 20, seconds)


async def terminate_backends(dsn: str) -> None:
    """End every connection but this one."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute("""
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
        """)


async def check_all_is_there(dsn: str, told: Told) -> None:
    """Assert that the database has all that was told, and nothing twice."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as outside:
        history = await read_history(outside)
        cursor = await outside.execute("""
            SELECT job_id::text FROM job_document WHERE kind = 'result' AND content = job_id::text::bytea
               AND EXISTS (SELECT FROM job WHERE id = job_id AND phase = 'SUCCEEDED')
        """)
        results = {row[0] for row in await cursor.fetchall()}
    assert told.created <= set(history)
    assert told.done <= results
    for lines in history.values():
        check_leases(lines)
    for job_id in told.done:
        check_ends_once(history[job_id])
