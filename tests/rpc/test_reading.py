"""Looking at jobs: lists, waits, watches."""

import asyncio
from typing import Any

import pytest

from tenure import AsyncClient, NewJob, Phase, Visibility, errors
from tests.factories import QUEUE, acquire_one, leased_job, new_job
from tests.fixtures.server import Server


async def test_a_list_is_newest_first_and_stable_under_inserts(client: AsyncClient) -> None:
    await client.create_jobs([NewJob(queue=QUEUE) for _ in range(30)])
    expected = [job.id async for job in client.list_jobs()]
    seen, token = [], ""
    while True:
        page = await client.list_jobs_page(page_size=7, page_token=token)
        seen += [job.id for job in page.jobs]
        await client.create_jobs([NewJob(queue=QUEUE) for _ in range(3)])
        token = page.next_page_token
        if not token:
            break

    assert seen == expected == sorted(expected, reverse=True)


async def test_filters_apply_before_paging(client: AsyncClient, server: Server) -> None:
    wanted = await new_job(client, kind="rare", labels={"a": "b", "c": "d"})
    for _ in range(5):
        await new_job(client, kind="common")
    grant = await acquire_one(client, wanted, holder="me")

    async def ids(**filters: Any) -> list[str]:
        return [job.id async for job in client.list_jobs(**filters)]

    page = await client.list_jobs_page(page_size=1, kind="rare")
    assert ([job.id for job in page.jobs], page.next_page_token) == ([wanted.id], "")
    assert await ids(labels={"a": "b"}) == [wanted.id]
    assert await ids(labels={"a": "x"}) == []
    assert await ids(holder="me") == [grant.job_id]
    assert await ids(states=["running"]) == [wanted.id]
    assert await ids(phases=[Phase.ACTIVE]) == [wanted.id]
    assert len(await ids(phases=[Phase.WAITING, Phase.ACTIVE])) == 6
    assert await ids(queue="elsewhere") == []
    assert await ids(created_before=server.clock.now) == []
    assert len(await ids(created_from=server.clock.now)) == 6
    assert await ids(pinned=True) == []
    assert await ids(visibility=Visibility.HIDDEN) == []


@pytest.mark.parametrize("token", ["nonsense", "'; DROP TABLE job; --", "AAAA"])
async def test_a_page_token_of_ones_own_making_is_refused(client: AsyncClient, token: str) -> None:
    with pytest.raises(errors.InvalidField) as refused:
        await client.list_jobs_page(page_token=token)

    assert refused.value.metadata["field"] == "page_token"


async def test_a_page_token_belongs_to_its_filters(client: AsyncClient) -> None:
    await client.create_jobs([NewJob(queue=QUEUE) for _ in range(3)])
    page = await client.list_jobs_page(page_size=1)

    with pytest.raises(errors.InvalidField):
        await client.list_jobs_page(page_token=page.next_page_token, kind="other")


async def test_a_wait_ends_when_the_job_does(client: AsyncClient) -> None:
    grant = await leased_job(client)
    waiting = asyncio.create_task(client.wait_job(grant.job_id, 20))
    await asyncio.sleep(0.05)
    await client.transition(grant, "succeeded", result=b"here")

    job = await asyncio.wait_for(waiting, 5)

    assert job.state == "succeeded"
    assert job.result is not None
    assert job.result.content == b"here"


async def test_a_wait_hears_of_another_server(client: AsyncClient, second_server: Server) -> None:
    grant = await leased_job(client)
    async with AsyncClient(second_server.target) as other:
        waiting = asyncio.create_task(other.wait_job(grant.job_id, 20))
        await asyncio.sleep(0.05)
        await client.transition(grant, "succeeded")
        assert (await asyncio.wait_for(waiting, 5)).state == "succeeded"


async def test_a_wait_for_a_state_ends_there(client: AsyncClient) -> None:
    job = await new_job(client)
    waiting = asyncio.create_task(client.wait_job(job.id, 20, states=["running"]))
    await asyncio.sleep(0.05)
    await acquire_one(client)

    assert (await asyncio.wait_for(waiting, 5)).state == "running"


async def test_a_wait_that_ends_first_says_so(client: AsyncClient) -> None:
    job = await new_job(client)

    with pytest.raises(TimeoutError):
        await client.wait_job(job.id, 0.1)


async def test_a_watch_sees_every_change_in_order(client: AsyncClient) -> None:
    watch = client.watch_jobs()
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0.1)
    grant = await leased_job(client)
    await client.transition(grant, "succeeded")

    seen = [await asyncio.wait_for(first, 5)]
    while len(seen) < 3:
        seen.append(await asyncio.wait_for(anext(watch), 5))
    await watch.aclose()

    states = [event.to_state for event, _ in seen]
    assert states == ["pending", "running", "succeeded"]


async def test_a_watch_resumes_without_a_gap(client: AsyncClient) -> None:
    watch = client.watch_jobs(queue=QUEUE)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0.1)
    await new_job(client)
    event, cursor = await asyncio.wait_for(first, 5)
    await watch.aclose()
    missed = [await new_job(client) for _ in range(5)]
    await new_job(client, queue="elsewhere")

    resumed = client.watch_jobs(cursor=cursor, queue=QUEUE)
    seen = [(await asyncio.wait_for(anext(resumed), 5)).event for _ in range(5)]
    await resumed.aclose()

    assert event.to_state == "pending"
    assert [e.job_id for e in seen] == [job.id for job in missed]


async def test_a_watch_from_before_what_was_pruned_is_told_so(client: AsyncClient, server: Server) -> None:
    watch = client.watch_jobs()
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0.1)
    job = await new_job(client)
    _, cursor = await asyncio.wait_for(first, 5)
    await watch.aclose()
    await client.cancel(job.id)
    server.clock.move(days=8)
    await server.prune()

    with pytest.raises(errors.WatchPositionTooOld):
        await anext(client.watch_jobs(cursor=cursor))


async def test_queues_show_what_lies_in_them(client: AsyncClient) -> None:
    await new_job(client)
    await leased_job(client)
    await new_job(client, queue="other")
    await client.update_queue("bounded", max_active=3)

    queues = {queue.name: queue async for queue in client.list_queues()}

    assert list(queues) == ["bounded", "other", QUEUE]
    assert (queues[QUEUE].ready, queues[QUEUE].leased) == (1, 1)
    assert (queues["bounded"].max_active, queues["bounded"].paused) == (3, False)
    assert (await client.get_queue("unheard-of")).ready == 0


async def test_a_bound_holds_and_is_lifted(client: AsyncClient) -> None:
    await client.update_queue(QUEUE, max_active=2)
    await client.create_jobs([NewJob(queue=QUEUE) for _ in range(5)])

    first = await client.acquire("me", queues=[QUEUE], max_leases=5)
    assert len(first.grants) == 2
    await client.transition(first.grants[0], "succeeded")
    second = await client.acquire("me", queues=[QUEUE], max_leases=5)
    assert len(second.grants) == 1
    await client.update_queue(QUEUE, max_active=0)
    assert len((await client.acquire("me", queues=[QUEUE], max_leases=5)).grants) == 2


async def test_the_server_tells_what_it_is(client: AsyncClient, server: Server) -> None:
    info = await client.server_info()

    assert info.version
    assert info.schema_version >= 1
    assert info.database_time == server.clock.now
    assert info.limits.max_batch_items == 500


async def test_ended_jobs_are_pruned_and_their_keys_freed(client: AsyncClient, server: Server) -> None:
    old = await new_job(client, idempotency_key="k", labels={"a": "b"}, payload=b"x")
    kept = await new_job(client)
    pinned = await new_job(client)
    await client.update_job(pinned.id, pinned=True)
    await client.cancel(old.id)
    await client.cancel(pinned.id)
    server.clock.move(days=7)

    await server.prune()

    assert {job.id async for job in client.list_jobs()} == {kept.id, pinned.id}
    with pytest.raises(errors.JobNotFound):
        await client.get_job(old.id)
    again = await client.create_job(QUEUE, idempotency_key="k", labels={"a": "b"}, payload=b"x")
    assert again.created
