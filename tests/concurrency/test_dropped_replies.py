"""A call whose answer was lost is asked again, and has its effect once."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from tenure import (
    Acquire,
    AsyncClient,
    Grant,
    NewJob,
    Release,
    Renewal,
    Transition,
    TransitionedMany,
)
from tests.concurrency.history import Outside
from tests.factories import LEASE, QUEUE, leased_job, new_job
from tests.fixtures.processes import until
from tests.fixtures.proxy import Proxy, proxied
from tests.fixtures.server import Server

Call = Callable[[AsyncClient], Awaitable[Any]]
Prepare = Callable[[AsyncClient], Awaitable[Call]]

# What may differ after a call that is harmless to repeat, since it was carried out twice.
COUNTED = ("version", "update_time", "xmin")


TABLES = ("job", "job_event", "job_document", "job_facet", "job_key", "request_outcome", "queue")
EVERYTHING = (
    " UNION ALL ".join(
        f"SELECT '{table}', to_jsonb(t) || jsonb_build_object('xmin', t.xmin::text) FROM {table} AS t"
        for table in TABLES
    )
    + " ORDER BY 1, 2"
)


class Verb(NamedTuple):
    """`once` are calls that are recognised; the others say the same again and change nothing more."""

    prepare: Prepare
    once: bool = True


async def creating(_: AsyncClient) -> Call:
    return lambda client: client.create_job(QUEUE, payload=b"work", labels={"a": "b"})


async def creating_with_a_key(_: AsyncClient) -> Call:
    return lambda client: client.create_job(QUEUE, idempotency_key="key")


async def creating_many(_: AsyncClient) -> Call:
    jobs = [NewJob(queue=QUEUE), NewJob(queue=QUEUE, idempotency_key="key")]
    return lambda client: client.create_jobs(jobs)


async def acquiring(client: AsyncClient) -> Call:
    for _ in range(3):
        await new_job(client)
    wanted = Acquire(holder="me", queues=[QUEUE], max_leases=2, lease_duration=LEASE)
    return lambda client: client.acquire_leases(wanted)


async def acquiring_by_id(client: AsyncClient) -> Call:
    wanted = Acquire(holder="me", job_id=(await new_job(client)).id, lease_duration=LEASE)
    return lambda client: client.acquire_leases(wanted)


async def moving(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.transition(grant, "succeeded", result=b"done", checkpoint=b"last")


async def failing(client: AsyncClient) -> Call:
    grant = await leased_job(client, retry_attempts=5)
    return lambda client: client.transition(grant, "failed")


async def moving_on(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    for _ in range(3):
        await new_job(client)
    wanted = Acquire(holder="me", queues=[QUEUE], lease_duration=LEASE)
    return lambda client: client.transition(grant, "succeeded", acquire_next=wanted)


async def moving_many_on(client: AsyncClient) -> Call:
    grants = [await leased_job(client) for _ in range(2)]
    for _ in range(3):
        await new_job(client)
    moves = [Transition(lease=grant, to="succeeded") for grant in grants]
    wanted = Acquire(holder="me", queues=[QUEUE], lease_duration=LEASE)
    return lambda client: client.transition_many(moves, wanted)


async def releasing(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.release(grant)


async def releasing_many(client: AsyncClient) -> Call:
    items = [Release(lease=await leased_job(client)) for _ in range(2)]
    return lambda client: client.release_many(items)


async def renewing(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.renew(grant, 90)


async def renewing_many(client: AsyncClient) -> Call:
    items = [Renewal(lease=await leased_job(client), lease_duration=90) for _ in range(2)]
    return lambda client: client.renew_many(items)


async def reporting(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.report_progress(grant, "reading", 1, 2)


async def saving(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.save_checkpoint(grant, b"half", phase_index=1)


async def cancelling(client: AsyncClient) -> Call:
    job = await new_job(client)
    return lambda client: client.cancel(job.id, "no use")


async def cancelling_what_runs(client: AsyncClient) -> Call:
    grant = await leased_job(client)
    return lambda client: client.cancel(grant.job_id, "no use")


async def pausing(client: AsyncClient) -> Call:
    job = await new_job(client)
    return lambda client: client.pause(job.id)


async def resuming(client: AsyncClient) -> Call:
    job = await new_job(client)
    await client.pause(job.id)
    return lambda client: client.resume(job.id)


async def retrying(client: AsyncClient) -> Call:
    job = await new_job(client)
    await client.cancel(job.id)
    return lambda client: client.retry(job.id)


async def updating(client: AsyncClient) -> Call:
    job = await new_job(client)
    return lambda client: client.update_job(job.id, priority=5, labels={"a": "b"})


async def deleting(client: AsyncClient) -> Call:
    job = await new_job(client)
    await client.cancel(job.id)
    return lambda client: client.delete_job(job.id)


async def bringing_back(client: AsyncClient) -> Call:
    job = await new_job(client)
    await client.cancel(job.id)
    await client.delete_job(job.id)
    return lambda client: client.undelete_job(job.id)


async def setting_a_queue(_: AsyncClient) -> Call:
    return lambda client: client.update_queue(QUEUE, paused=True, max_active=3)


VERBS = {
    "CreateJob": Verb(creating),
    "CreateJob with a key": Verb(creating_with_a_key),
    "BatchCreateJobs": Verb(creating_many),
    "AcquireLease": Verb(acquiring),
    "AcquireLease by id": Verb(acquiring_by_id),
    "Transition": Verb(moving),
    "Transition to another attempt": Verb(failing),
    "Transition and the next": Verb(moving_on),
    "BatchTransition and the next": Verb(moving_many_on),
    "Release": Verb(releasing),
    "BatchRelease": Verb(releasing_many),
    "Renew": Verb(renewing, once=False),
    "BatchRenew": Verb(renewing_many, once=False),
    "ReportProgress": Verb(reporting, once=False),
    "SaveCheckpoint": Verb(saving, once=False),
    "Cancel": Verb(cancelling),
    "Cancel what runs": Verb(cancelling_what_runs),
    "Pause": Verb(pausing),
    "Resume": Verb(resuming),
    "Retry": Verb(retrying),
    "UpdateJob": Verb(updating),
    "DeleteJob": Verb(deleting),
    "UndeleteJob": Verb(bringing_back),
    "UpdateQueue": Verb(setting_a_queue, once=False),
}


@pytest.fixture
async def proxy(server: Server) -> AsyncIterator[Proxy]:
    """What lies between client and server."""
    async with proxied(server.target.removeprefix("unix:")) as proxy:
        yield proxy


async def test_a_call_whose_reply_is_dropped_has_its_effect_once(
    client: AsyncClient, proxy: Proxy, outside: Outside, subtests: pytest.Subtests
) -> None:
    async with AsyncClient(proxy.address) as far:
        for name, verb in VERBS.items():
            await outside.execute(f"TRUNCATE {', '.join(TABLES)}")
            call = await verb.prepare(client)
            await far.server_info()
            before, connections = await everything(outside), proxy.accepted
            with subtests.test(name):
                proxy.dumb = True
                asking = asyncio.create_task(as_task(call(far)))
                first = await changed(outside, before)
                assert not asking.done()

                proxy.heal()
                await asyncio.wait_for(asking, 10)

                again = await everything(outside)
                assert again == first if verb.once else but_counts(again) == but_counts(first)
                assert proxy.accepted == connections + 1


async def test_the_same_call_twice_gives_the_same_answer(
    client: AsyncClient, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, verb in VERBS.items():
        await outside.execute(f"TRUNCATE {', '.join(TABLES)}")
        call = await verb.prepare(client)
        for module in ("jobs", "job_verbs"):
            monkeypatch.setattr(f"tenure.async_client.{module}.new_request_id", lambda: "the-same")

        first, second = facts(await call(client)), facts(await call(client))

        monkeypatch.undo()
        assert second == first, name


async def as_task(call: Awaitable[Any]) -> Any:
    return await call


async def changed(outside: Outside, before: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Wait until the call has had its effect."""
    now = before

    async def differs() -> bool:
        nonlocal now
        now = await everything(outside)
        return now != before

    await until(differs)
    return now


async def everything(outside: Outside) -> dict[str, list[Any]]:
    """All that is stored about jobs and queues."""
    cursor = await outside.execute(EVERYTHING)
    found: dict[str, list[Any]] = defaultdict(list)
    for table, row in await cursor.fetchall():
        found[table].append(row)
    return found


def but_counts(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {
        table: [{key: value for key, value in row.items() if key not in COUNTED} for row in rows]
        for table, rows in found.items()
    }


def grants_of(answer: object) -> list[Grant]:
    found = getattr(answer, "grants", ())
    return list(found) if not isinstance(answer, TransitionedMany) else list(answer.grants)


def facts(answer: Any) -> Any:
    """The answer without what it says of the asking itself."""
    if isinstance(answer, list):
        return [facts(item) for item in answer]
    if grants := grants_of(answer):
        return [(grant.job_id, grant.token, grant.fence, grant.expire_time) for grant in grants]
    if hasattr(answer, "job"):
        return answer.job
    if hasattr(answer, "expire_time"):
        return answer.expire_time
    if hasattr(answer, "state") and not hasattr(answer, "queue"):
        return answer.state, getattr(answer, "version", None)
    return answer
