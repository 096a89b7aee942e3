"""Who holds a job, and until when: to the microsecond."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tenure import Acquire, AsyncClient, EmptyReason, Grant, LeaseKey, LeaseLost, Progress, errors
from tests.factories import LEASE, QUEUE, acquire_one, leased_job, new_job
from tests.fixtures.server import Server

Verb = Callable[[AsyncClient, LeaseKey], Awaitable[object]]

VERBS: dict[str, Verb] = {
    "renew": lambda client, lease: client.renew(lease),
    "report_progress": lambda client, lease: client.report_progress(lease, "label", 1, 2),
    "save_checkpoint": lambda client, lease: client.save_checkpoint(lease, b"state"),
    "succeed": lambda client, lease: client.transition(lease, "succeeded"),
    "fail": lambda client, lease: client.transition(lease, "failed"),
}


def key_of(grant: Grant) -> LeaseKey:
    return LeaseKey(grant.job_id, grant.token)


async def test_a_grant_tells_everything_its_holder_needs(client: AsyncClient, server: Server) -> None:
    await new_job(client, payload=b"work")
    grant = await acquire_one(client, holder="me")

    assert (grant.fence, grant.attempt, grant.last_attempt) == (1, 1, True)
    assert (grant.ttl, grant.renew_after) == (LEASE, LEASE / 3)
    assert grant.expire_time == server.clock.now + timedelta(seconds=LEASE)
    assert len(grant.token) >= 16
    assert (grant.job.state, grant.job.version) == ("running", 1)
    assert grant.job.lease is not None
    assert (grant.job.lease.holder, grant.job.lease.expire_time) == ("me", grant.expire_time)
    assert grant.job.payload is not None
    assert grant.job.payload.content == b"work"


async def test_the_token_is_told_to_nobody_else(client: AsyncClient) -> None:
    grant = await leased_job(client)
    shown = await client.get_job(grant.job_id)

    assert grant.token.hex() not in repr(shown)
    assert grant.token not in repr(grant).encode()


async def test_jobs_come_by_priority_and_then_in_order(client: AsyncClient) -> None:
    late = await new_job(client, priority=5)
    first = await new_job(client)
    second = await new_job(client)
    urgent = await new_job(client, priority=-5)

    acquired = await client.acquire("me", queues=[QUEUE], max_leases=10)

    assert [grant.job_id for grant in acquired.grants] == [urgent.id, first.id, second.id, late.id]


async def test_several_queues_are_served_as_one_line(client: AsyncClient) -> None:
    a = await new_job(client, queue="a")
    b = await new_job(client, queue="b")
    c = await new_job(client, queue="a", priority=-1)

    acquired = await client.acquire("me", queues=["a", "b"], max_leases=2)

    assert [grant.job_id for grant in acquired.grants] == [c.id, a.id]
    assert (await acquire_one(client, b)).job_id == b.id


async def test_filters_narrow_the_choice(client: AsyncClient) -> None:
    await new_job(client, kind="a", labels={"tier": "gold"})
    wanted = await new_job(client, kind="b", labels={"tier": "gold", "zone": "1"})
    await new_job(client, kind="b")

    acquired = await client.acquire("me", queues=[QUEUE], kinds=["b"], labels={"tier": "gold"}, max_leases=10)

    assert [grant.job_id for grant in acquired.grants] == [wanted.id]


@pytest.mark.parametrize("microseconds, valid", [(-1, True), (0, False), (1, False)])
@pytest.mark.parametrize("verb", VERBS)
async def test_a_lease_is_valid_only_while_its_end_lies_ahead(
    client: AsyncClient, server: Server, verb: str, microseconds: int, valid: bool
) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=LEASE, microseconds=microseconds)

    if valid:
        await VERBS[verb](client, key_of(grant))
        return
    before = await client.get_job(grant.job_id)
    for _ in range(2):
        with pytest.raises(LeaseLost):
            await VERBS[verb](client, key_of(grant))
    assert await client.get_job(grant.job_id) == before


@pytest.mark.parametrize("microseconds, free", [(-1, False), (0, True), (1, True)])
async def test_a_job_is_free_from_the_very_end_of_its_lease(
    client: AsyncClient, server: Server, microseconds: int, free: bool
) -> None:
    grant = await leased_job(client, retry_attempts=2)
    server.clock.move(seconds=LEASE, microseconds=microseconds)

    acquired = await client.acquire("other", job_id=grant.job_id)

    assert bool(acquired.grants) is free
    if not free:
        assert acquired.empty_reason is EmptyReason.LEASED_BY_ANOTHER


@pytest.mark.parametrize("verb", VERBS)
async def test_late_writes_change_nothing(client: AsyncClient, server: Server, verb: str) -> None:
    late = await leased_job(client, retry_attempts=5)
    server.clock.move(seconds=LEASE)
    current = await acquire_one(client, late.job)
    before = await client.get_job(late.job_id)

    with pytest.raises(LeaseLost):
        await VERBS[verb](client, key_of(late))
    with pytest.raises(LeaseLost):
        await client.release(key_of(late))

    assert await client.get_job(late.job_id) == before
    assert current.fence == late.fence + 1
    assert current.token != late.token


@pytest.mark.parametrize("verb", VERBS)
async def test_a_made_up_token_is_no_lease(client: AsyncClient, verb: str) -> None:
    grant = await leased_job(client)

    with pytest.raises(LeaseLost):
        await VERBS[verb](client, LeaseKey(grant.job_id, b"made up"))


@pytest.mark.parametrize("verb", [*VERBS, "release"])
async def test_an_unknown_job_is_not_found(client: AsyncClient, verb: str) -> None:
    lease = LeaseKey("00000000-0000-7000-8000-000000000000", b"token")

    with pytest.raises(errors.JobNotFound):
        await (client.release(lease) if verb == "release" else VERBS[verb](client, lease))


async def test_renewal_counts_from_now(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=10)

    lease = await client.renew(grant)

    assert lease.expire_time == server.clock.now + timedelta(seconds=LEASE)
    assert (lease.ttl, lease.renew_after, lease.version) == (LEASE, LEASE / 3, 2)
    job = await client.get_job(grant.job_id)
    assert job.lease is not None
    assert job.lease.heartbeat_time == server.clock.now


async def test_renewal_never_shortens(client: AsyncClient) -> None:
    grant = await leased_job(client)

    lease = await client.renew(grant, lease_duration=1)

    assert lease.expire_time == grant.expire_time
    assert lease.ttl == LEASE


async def test_progress_does_not_extend_the_lease(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=10)

    lease = await client.report_progress(grant, "reading", 3, 7, message="file three")

    job = await client.get_job(grant.job_id)
    assert lease.expire_time == grant.expire_time
    assert job.progress == Progress("reading", 3, 7, "file three")


async def test_each_report_replaces_the_one_before(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.report_progress(grant, "reading", 3, 7, message="file three")
    await client.renew(grant, progress=Progress("writing"))

    assert (await client.get_job(grant.job_id)).progress == Progress("writing")


async def test_the_next_holder_gets_the_last_checkpoint(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client, retry_attempts=2)
    await client.save_checkpoint(grant, b"one")
    await client.save_checkpoint(grant, b"two", phase_index=2)
    server.clock.move(seconds=LEASE)
    await server.reap()

    after = await acquire_one(client)

    assert after.job.checkpoint is not None
    assert (after.job.checkpoint.content, after.job.phase_index) == (b"two", 2)


async def test_release_gives_back_without_counting(client: AsyncClient) -> None:
    grant = await leased_job(client)

    job = await client.release(grant)

    assert (job.state, job.attempt, job.version, job.lease) == ("pending", 1, 2, None)
    again = await acquire_one(client)
    assert (again.attempt, again.fence) == (1, 2)


async def test_release_is_accepted_past_the_end_of_the_lease(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=LEASE * 2)

    assert (await client.release(grant)).state == "pending"


async def test_released_again_changes_nothing(client: AsyncClient) -> None:
    grant = await leased_job(client)
    first = await client.release(grant)

    again = await client.release(grant)

    assert again.version == first.version


async def test_release_may_hold_the_job_back(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    await client.release(grant, delay=60)

    nothing = await client.acquire("me", queues=[QUEUE])
    assert nothing.empty_reason is EmptyReason.SCHEDULED_LATER
    assert nothing.poll_after == 60
    server.clock.move(seconds=60)
    await server.promote()
    assert (await acquire_one(client)).job_id == grant.job_id


async def test_an_expired_lease_is_ended_by_the_sweep(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client, retry_attempts=2)
    server.clock.move(seconds=LEASE)

    assert await server.reap() == 1

    job = await client.get_job(grant.job_id)
    assert (job.state, job.attempt, job.lease) == ("pending", 2, None)
    assert await server.reap() == 0


async def test_the_last_attempt_lost_ends_the_job_with_its_reason(
    client: AsyncClient, server: Server
) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=LEASE)
    await server.reap()

    job = await client.get_job(grant.job_id)
    assert (job.state, job.attempt) == ("failed", 1)
    assert job.error is not None
    assert job.error.code == "lease_expired"


async def test_the_sweep_leaves_a_renewed_lease_alone(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=20)
    await client.renew(grant)
    server.clock.move(seconds=15)
    before = await client.get_job(grant.job_id)

    assert await server.reap() == 1

    assert await client.get_job(grant.job_id) == before
    assert await server.reap() == 0
    server.clock.move(seconds=15)
    assert await server.reap() == 1
    assert (await client.get_job(grant.job_id)).state == "failed"


async def test_the_fence_grows_through_every_path(client: AsyncClient, server: Server) -> None:
    job = await new_job(client, retry_attempts=10)
    fences = []
    for how in ("release", "expire", "fail", "cancel", "expire by id"):
        grant = await acquire_one(client, job)
        fences.append(grant.fence)
        if how == "release":
            await client.release(grant)
        elif how == "fail":
            await client.transition(grant, "failed")
            server.clock.move(minutes=10)
            await server.promote()
        elif how == "cancel":
            await client.cancel(job.id)
            await client.transition(grant, "cancelled")
            await client.retry(job.id)
        else:
            server.clock.move(seconds=LEASE)
            if how == "expire":
                await server.reap()
    fences.append((await acquire_one(client, job)).fence)

    assert fences == [1, 2, 3, 4, 5, 6]


async def test_why_nothing_was_granted(client: AsyncClient, server: Server) -> None:
    async def reason(**wanted: Any) -> EmptyReason | None:
        return (await client.acquire("me", **{"queues": [QUEUE], **wanted})).empty_reason

    assert await reason() is EmptyReason.NO_JOBS
    await new_job(client, schedule_time=server.clock.now + timedelta(hours=1))
    assert await reason() is EmptyReason.SCHEDULED_LATER
    await new_job(client, kind="a")
    assert await reason(kinds=["b"]) is EmptyReason.NO_MATCH
    await client.update_queue(QUEUE, paused=True)
    assert await reason() is EmptyReason.QUEUE_PAUSED
    await client.update_queue(QUEUE, paused=False, max_active=1)
    grant = await acquire_one(client)
    await new_job(client, kind="a")
    assert await reason() is EmptyReason.CONCURRENCY_LIMIT
    assert await reason(queues=[], job_id=grant.job_id) is EmptyReason.LEASED_BY_ANOTHER
    await client.transition(grant, "succeeded")
    assert await reason(queues=[], job_id=grant.job_id) is EmptyReason.TERMINAL
    assert await reason(max_leases=5) is None


async def test_the_same_request_id_gets_the_same_grants(client: AsyncClient, server: Server) -> None:
    for _ in range(3):
        await new_job(client)
    first = await client.acquire("me", queues=[QUEUE], max_leases=2, lease_duration=LEASE, request_id="r")
    await client.transition(first.grants[0], "succeeded")

    again = await client.acquire("me", queues=[QUEUE], max_leases=2, lease_duration=LEASE, request_id="r")

    assert again.replayed
    assert [g.token for g in again.grants] == [first.grants[1].token]
    server.clock.move(seconds=LEASE)
    assert (await client.acquire("me", queues=[QUEUE], request_id="r")).grants == ()


async def test_a_waiting_call_gets_the_job_that_comes(client: AsyncClient) -> None:
    waiting = asyncio.create_task(client.acquire("me", queues=[QUEUE], wait=30))
    await asyncio.sleep(0.05)
    job = await new_job(client)

    acquired = await asyncio.wait_for(waiting, 5)

    assert [grant.job_id for grant in acquired.grants] == [job.id]


async def test_a_waiting_call_hears_of_another_servers_job(
    client: AsyncClient, second_server: Server
) -> None:
    async with AsyncClient(second_server.target) as other:
        waiting = asyncio.create_task(other.acquire("me", queues=[QUEUE], wait=30))
        await asyncio.sleep(0.05)
        job = await new_job(client)
        acquired = await asyncio.wait_for(waiting, 5)

    assert [grant.job_id for grant in acquired.grants] == [job.id]


async def test_as_many_waiters_wake_as_there_are_jobs(client: AsyncClient) -> None:
    waiting = [asyncio.create_task(client.acquire(f"w{i}", queues=[QUEUE], wait=20)) for i in range(8)]
    await asyncio.sleep(0.05)
    for _ in range(8):
        await new_job(client)

    acquired = await asyncio.wait_for(asyncio.gather(*waiting), 10)

    assert len({grants[0].job_id for grants, *_ in acquired}) == 8


async def test_the_jobs_of_a_caller_that_has_gone_are_free_at_once(
    client: AsyncClient, server: Server
) -> None:
    async with AsyncClient(server.target) as gone:
        waiting = asyncio.create_task(gone.acquire("gone", queues=[QUEUE], wait=30))
        await asyncio.sleep(0.05)
        waiting.cancel()
    job = await new_job(client)

    acquired = await client.acquire("me", queues=[QUEUE], wait=5)

    assert [grant.job_id for grant in acquired.grants] == [job.id]


async def test_what_has_no_room_in_the_reply_is_not_leased(client: AsyncClient) -> None:
    big = b"x" * 1024 * 1024
    made = [await new_job(client, payload=big) for _ in range(8)]

    first = await client.acquire("me", queues=[QUEUE], max_leases=500)
    second = await client.acquire("me", queues=[QUEUE], max_leases=500)

    assert [g.job_id for g in first.grants] == [job.id for job in made[:3]]
    assert [g.job_id for g in second.grants] == [job.id for job in made[3:6]]
    assert all(g.job.payload is not None and len(g.job.payload.content) == len(big) for g in first.grants)
    left = [job async for job in client.list_jobs(states=["pending"])]
    assert {job.id for job in left} == {job.id for job in made[6:]}
    assert all(job.attempt == 1 for job in left)


async def test_an_update_answers_with_the_new_labels(client: AsyncClient) -> None:
    job = await new_job(client, labels={"a": "1"})

    assert (await client.update_job(job.id, labels={"b": "2"})).labels == {"b": "2"}


async def test_acquire_next_comes_with_the_transition(client: AsyncClient) -> None:
    first, second = await new_job(client), await new_job(client)
    grant = await acquire_one(client)
    next_one = Acquire(holder="me", queues=[QUEUE], lease_duration=LEASE)

    moved = await client.transition(grant, "succeeded", acquire_next=next_one)
    last = await client.transition(moved.grants[0], "succeeded", acquire_next=next_one)

    assert grant.job_id == first.id
    assert [g.job_id for g in moved.grants] == [second.id]
    assert last.grants == ()


async def test_acquire_next_by_id_never_makes_the_transition_fail(client: AsyncClient) -> None:
    grant, wanted = await leased_job(client), await new_job(client)
    absent = Acquire(holder="me", job_id="00000000-0000-7000-8000-000000000000")

    moved = await client.transition(grant, "paused", acquire_next=absent)
    last = await client.transition(grant, "cancelled", acquire_next=Acquire(holder="me", job_id=wanted.id))

    assert (moved.job.state, moved.grants) == ("paused", ())
    assert [g.job_id for g in last.grants] == [wanted.id]


@pytest.mark.parametrize("seconds", [0, -1, 0.0999, 86400.001])
async def test_a_lease_has_bounds(client: AsyncClient, seconds: float) -> None:
    with pytest.raises(errors.InvalidField) as refused:
        await client.acquire("me", queues=[QUEUE], lease_duration=seconds)

    assert refused.value.metadata["field"] == "lease_duration"
