"""Two who want the same job at the same moment: one wins, the other is told, nobody waits for a lock."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from tenure import AsyncClient, Directive, Grant, NewJob, RetryPolicy, TenureError, Transition, errors
from tests.concurrency.history import Outside, check_ends_once, check_leases, deadlocks, read_history
from tests.factories import LEASE, QUEUE, acquire_one, leased_job, new_job
from tests.fixtures.server import Server, running_server

ROUNDS = 120


@pytest.fixture
async def other(second_server: Server) -> AsyncIterator[AsyncClient]:
    """A client of the second server."""
    async with AsyncClient(second_server.target) as client:
        yield client


async def test_of_cancel_and_complete_exactly_one_wins(
    client: AsyncClient, other: AsyncClient, outside: Outside
) -> None:
    grants = await lease_many(client, ROUNDS)
    outcomes = []
    for number, grant in enumerate(grants):
        cancel, complete = client.cancel(grant.job_id, "no use"), other.transition(grant, "succeeded")
        pair = (cancel, complete) if number % 2 else (complete, cancel)
        first, second = await asyncio.gather(*pair, return_exceptions=True)
        outcomes.append((grant.job_id, *((first, second) if number % 2 else (second, first))))

    history = await read_history(outside)
    for job_id, cancelled, completed in outcomes:
        job = await client.get_job(job_id)
        assert not isinstance(completed, BaseException), "a holder may finish what is to be cancelled"
        assert job.state == completed.job.state == "succeeded"
        if isinstance(cancelled, BaseException):
            assert isinstance(cancelled, errors.JobTerminal)
            assert cancelled.metadata["state"] == "succeeded"
        else:
            assert cancelled.directive is Directive.CANCEL
        check_ends_once(history[job_id])


async def test_of_cancel_and_acquire_no_cancelled_job_is_ever_granted(
    client: AsyncClient, other: AsyncClient, outside: Outside
) -> None:
    for number in range(ROUNDS // 2):
        job = await new_job(client)
        acquire, cancel = other.acquire("me", job_id=job.id, lease_duration=60), client.cancel(job.id)
        pair = (acquire, cancel) if number % 2 else (cancel, acquire)
        first, second = await asyncio.gather(*pair)
        acquired, cancelled = (first, second) if number % 2 else (second, first)

        if acquired.grants:
            assert cancelled.state == "running"
            assert (await other.renew(acquired.grants[0])).directive is not None
        else:
            assert cancelled.state == "cancelled"


async def test_a_failed_attempt_of_a_cancelled_job_is_never_tried_again(
    client: AsyncClient, other: AsyncClient, outside: Outside
) -> None:
    grants = await lease_many(client, ROUNDS // 2)
    for number, grant in enumerate(grants):
        cancel, fail = client.cancel(grant.job_id), other.transition(grant, "failed")
        await asyncio.gather(*((cancel, fail) if number % 2 else (fail, cancel)))

    history = await read_history(outside)
    for grant in grants:
        assert (await client.get_job(grant.job_id)).state == "cancelled"
        check_ends_once(history[grant.job_id])


async def test_at_the_end_of_a_lease_renewal_completion_and_sweep_agree(
    client: AsyncClient, other: AsyncClient, server: Server, second_server: Server, outside: Outside
) -> None:
    for microseconds in (-1, 0, 1):
        for order in range(6):
            grants = await lease_many(client, 5)
            server.clock.move(seconds=LEASE, microseconds=microseconds)
            valid = microseconds < 0
            for grant in grants:
                renewed, moved, acquired, _ = await in_any_order(
                    order,
                    client.renew(grant),
                    other.transition(grant, "succeeded"),
                    client.acquire("other", job_id=grant.job_id, lease_duration=LEASE),
                    second_server.reap(),
                )
                assert isinstance(moved, errors.LeaseLost | errors.IllegalTransition) is not valid, moved
                assert not (isinstance(renewed, TenureError) is False and not valid)
                assert not (valid and acquired.grants)
                assert acquired.grants or valid

    for lines in (await read_history(outside)).values():
        check_leases(lines)


async def test_a_sweep_never_overtakes_completions(
    client: AsyncClient, other: AsyncClient, server: Server, second_server: Server, outside: Outside
) -> None:
    """The leases lapse while both servers sweep and holders complete: one of them ends each lease."""
    grants = await lease_many(client, ROUNDS)
    moves = [Transition(lease=grant, to="succeeded") for grant in grants]
    completing = [asyncio.create_task(other.transition_many([move])) for move in moves]
    await asyncio.sleep(0)
    server.clock.move(seconds=LEASE)
    sweeping = [asyncio.create_task(one.reap()) for one in (server, second_server) for _ in range(5)]

    results = [(await task).results[0] for task in completing]
    await asyncio.gather(*sweeping)
    await server.reap()

    history = await read_history(outside)
    for grant, result in zip(grants, results, strict=True):
        state = (await client.get_job(grant.job_id, full=False)).state
        refused = isinstance(result, errors.LeaseLost | errors.IllegalTransition)
        assert state == ("pending" if refused else "succeeded"), result
        check_leases(history[grant.job_id])


async def test_servers_that_sweep_all_the_time_never_deadlock(
    dsn: str, server: Server, second_server: Server, socket_dir: Any, outside: Outside
) -> None:
    async with running_server(dsn, f"unix:{socket_dir}/three.sock", server.clock) as third:
        servers = [server, second_server, third]
        async with AsyncClient(server.target) as one, AsyncClient(third.target) as two, sweeping(servers):
            await asyncio.gather(*(life(client, server, n) for n in range(6) for client in (one, two)))

    for lines in (await read_history(outside)).values():
        check_leases(lines)
    assert await deadlocks(outside) == 0


async def test_creations_of_several_servers_with_the_same_keys_never_deadlock(
    client: AsyncClient, other: AsyncClient, outside: Outside
) -> None:
    for _ in range(20):
        keys = [f"key-{random.random()}" for _ in range(20)]
        forth = [NewJob(queue=QUEUE, idempotency_key=key) for key in keys]
        made, found = await asyncio.gather(client.create_jobs(forth), other.create_jobs(forth[::-1]))

        ids = [result.job_id for result in made if not isinstance(result, TenureError)]
        assert ids == [result.job_id for result in found[::-1] if not isinstance(result, TenureError)]
        assert len(set(ids)) == len(keys)

    assert await deadlocks(outside) == 0


async def test_a_row_locked_outside_holds_up_nobody_but_its_own_callers(
    client: AsyncClient, dsn: str
) -> None:
    stuck, free = await leased_job(client), await leased_job(client)
    async with locked_outside(dsn, stuck.job_id):
        waiting = asyncio.create_task(client.renew(stuck))
        for _ in range(20):
            await client.renew(free)
        other = await new_job(client)
        assert (await acquire_one(client)).job_id == other.id
        assert not waiting.done()

    assert (await asyncio.wait_for(waiting, 5)).ttl == LEASE


async def test_a_row_locked_until_the_deadline_is_busy(server: Server, dsn: str) -> None:
    async with AsyncClient(server.target, timeout=0.5) as client:
        grant = await leased_job(client)
        async with locked_outside(dsn, grant.job_id):
            calls = [client.renew(grant), client.cancel(grant.job_id), client.transition(grant, "failed")]
            for busy in await asyncio.gather(*calls, return_exceptions=True):
                assert isinstance(busy, errors.JobBusy)
                assert busy.metadata == {"job_id": grant.job_id}
        await client.renew(grant)


async def test_the_next_of_a_queue_is_never_a_locked_row(client: AsyncClient, dsn: str) -> None:
    locked, free = await new_job(client), await new_job(client)
    async with locked_outside(dsn, locked.id):
        acquired = await client.acquire("me", queues=[QUEUE], max_leases=5)

    assert [grant.job_id for grant in acquired.grants] == [free.id]
    assert (await acquire_one(client)).job_id == locked.id


async def lease_many(client: AsyncClient, count: int) -> list[Grant]:
    """Leases of new jobs that may be tried again."""
    retry = RetryPolicy(max_attempts=100)
    await client.create_jobs([NewJob(queue=QUEUE, retry=retry) for _ in range(count)])
    acquired = await client.acquire("me", queues=[QUEUE], max_leases=count, lease_duration=LEASE)
    assert len(acquired.grants) == count
    return list(acquired.grants)


async def in_any_order(order: int, *calls: Awaitable[Any]) -> list[Any]:
    """Start the calls at once in some order; the answers, errors among them, in the order given."""
    places = list(range(len(calls)))
    random.Random(order).shuffle(places)
    answers = await asyncio.gather(*(calls[place] for place in places), return_exceptions=True)
    found = dict(zip(places, answers, strict=True))
    return [found[place] for place in range(len(calls))]


@asynccontextmanager
async def sweeping(servers: list[Server]) -> AsyncIterator[None]:
    """All sweeps of all servers, every 10 ms."""

    async def sweep(server: Server) -> None:
        while True:
            await asyncio.gather(server.reap(), server.promote(), server.expire(), server.prune())
            await asyncio.sleep(0.01)

    tasks = [asyncio.create_task(sweep(server)) for server in servers]
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert all(task.cancelled() for task in tasks)


async def life(client: AsyncClient, server: Server, number: int) -> None:
    """Every way a lease can end, again and again, on jobs that all share."""
    chance = random.Random(number)
    for _ in range(6):
        await client.create_jobs([NewJob(queue=QUEUE, retry=RetryPolicy(max_attempts=9)) for _ in range(10)])
        acquired = await client.acquire(f"w{number}", queues=[QUEUE], max_leases=10, lease_duration=LEASE)
        for grant in acquired.grants:
            verb = chance.choice(["renew", "finish", "fail", "release", "cancel", "forget"])
            try:
                await act(client, grant, verb)
            except (errors.LeaseLost, errors.IllegalTransition, errors.JobTerminal):
                continue
        server.clock.move(seconds=LEASE / 10)


async def act(client: AsyncClient, grant: Grant, verb: str) -> None:
    if verb == "renew":
        await client.renew(grant)
    elif verb in ("finish", "fail"):
        await client.transition(grant, "succeeded" if verb == "finish" else "failed")
    elif verb == "release":
        await client.release(grant, 1)
    elif verb == "cancel":
        await client.cancel(grant.job_id)


@asynccontextmanager
async def locked_outside(dsn: str, job_id: str) -> AsyncIterator[None]:
    """Someone else's transaction keeps the row locked."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        await connection.execute("SELECT FROM job WHERE id = %s FOR UPDATE", [job_id])
        yield
        await connection.rollback()
