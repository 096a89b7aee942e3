"""Many workers, several servers, one database: every job is granted, none to two."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tenure import Acquire, AsyncClient, Grant, LeaseLost, NewJob, RetryPolicy, errors
from tests.concurrency.history import Outside, check_ends_once, check_leases, read_history
from tests.factories import QUEUE
from tests.fixtures.processes import ServerProcess, StartServer, until

JOBS = 300
ACQUIRERS = 16
LEASE = 1.0


@dataclass
class Shift:
    """What the workers saw: every grant that reached one, and every job that was reported done."""

    grants: list[tuple[str, int, int]] = field(default_factory=list)
    tokens: set[bytes] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    failures: int = 0

    @property
    def over(self) -> bool:
        """Whether every job has been reported done."""
        return len(self.done) >= JOBS

    def has_done(self, part: float) -> Callable[[], bool]:
        """Whether this part of all jobs has been reported done."""
        return lambda: len(self.done) >= JOBS * part


async def test_sixteen_acquirers_over_two_servers_get_every_job_once(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = await two_servers(dsn, start_server)
    await create_jobs(servers[0])
    shift = Shift()

    await work(servers, shift)

    assert shift.failures == shift.lost == 0
    assert await granted_once(outside, shift) == JOBS
    assert len(shift.grants) == JOBS


async def test_none_is_lost_or_doubled_when_servers_are_killed(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = await two_servers(dsn, start_server)
    await create_jobs(servers[0])
    shift = Shift()

    working = asyncio.create_task(work(servers, shift))
    for victim, part in ((servers[1], 0.2), (servers[0], 0.4), (servers[1], 0.6)):
        await until(shift.has_done(part), 30)
        assert not shift.over
        victim.kill()
        victim.start()
    await working

    assert await granted_once(outside, shift) >= JOBS


async def test_a_holder_goes_on_renewing_though_both_servers_were_killed(
    dsn: str, outside: Outside, start_server: StartServer
) -> None:
    servers = await two_servers(dsn, start_server)
    async with AsyncClient(servers[0].target, wait_for_ready=True) as client:
        job = (await client.create_job(QUEUE)).job
        grant = (await client.acquire("worker", job_id=job.id, lease_duration=60)).grants[0]
        for server in servers:
            server.kill()
            server.start()

        renewed = await client.renew(grant)
        other = await client.acquire("other", queues=[QUEUE])

    assert renewed.expire_time > grant.expire_time
    assert other.grants == ()
    assert check_leases((await read_history(outside))[job.id]) == 1


async def two_servers(dsn: str, start_server: StartServer) -> list[ServerProcess]:
    servers = [start_server(dsn), start_server(dsn)]
    for server in servers:
        await server.ready()
    return servers


async def create_jobs(server: ServerProcess) -> None:
    jobs = [NewJob(queue=QUEUE, retry=RetryPolicy(max_attempts=100)) for _ in range(JOBS)]
    async with AsyncClient(server.target) as client:
        await client.create_jobs(jobs)


async def work(servers: list[ServerProcess], shift: Shift) -> None:
    """Let workers go at it, half of them at each server, until all jobs are done."""
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for number in range(ACQUIRERS):
            target = servers[number % len(servers)].target
            group.create_task(acquirer(f"worker-{number}", target, shift))


async def acquirer(holder: str, target: str, shift: Shift) -> None:
    async with AsyncClient(target, wait_for_ready=True, timeout=10) as client:
        while not shift.over:
            for grant in await leased(client, holder, shift):
                assert grant.token not in shift.tokens
                shift.tokens.add(grant.token)
                shift.grants.append((grant.job_id, grant.attempt, grant.fence))
                await finish(client, grant, shift)


async def leased(client: AsyncClient, holder: str, shift: Shift) -> tuple[Grant, ...]:
    wanted = Acquire(holder=holder, queues=[QUEUE], max_leases=2, lease_duration=LEASE, wait=0.3)
    while not shift.over:
        try:
            return tuple((await client.acquire_leases(wanted)).grants)
        except (errors.Unavailable, errors.DeadlineExceeded):
            shift.failures += 1
    return ()


async def finish(client: AsyncClient, grant: Grant, shift: Shift) -> None:
    while True:
        try:
            await client.transition(grant, "succeeded")
        except (errors.Unavailable, errors.DeadlineExceeded):
            shift.failures += 1
        except LeaseLost:
            shift.lost += 1
            return
        except errors.IllegalTransition:  # the next holder has ended it
            shift.lost += 1
            return
        else:
            shift.done[grant.job_id] += 1
            return


async def granted_once(outside: Outside, shift: Shift) -> int:
    """Assert what must hold whatever happened; returns the number of grants."""
    history = await read_history(outside)
    assert len(history) == JOBS
    assert set(shift.done) == set(history)
    assert set(shift.done.values()) == {1}
    assert len(shift.grants) == len(set(shift.grants))
    for lines in history.values():
        check_ends_once(lines)
    told = {(line.job_id, line.attempt, line.fence) for lines in history.values() for line in lines}
    assert set(shift.grants) <= told
    return sum(check_leases(lines) for lines in history.values())
