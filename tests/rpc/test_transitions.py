"""Moving a job along its lifecycle: edge first, then lease, and once however often it is asked for."""

from datetime import timedelta

import pytest

from tenure import AsyncClient, Failure, LeaseKey, LeaseLost, Phase, Progress, RetryPolicy, Transition, errors
from tests.factories import LEASE, acquire_one, leased_job, new_job
from tests.fixtures.server import Server


async def test_success_keeps_the_result_and_ends_the_job(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client)
    server.clock.move(seconds=5)

    moved = await client.transition(
        grant, "succeeded", result={"answer": 42}, progress=Progress("done", 1, 1)
    )

    job = await client.get_job(grant.job_id)
    assert (moved.job.state, moved.replayed) == ("succeeded", False)
    assert (job.phase, job.lease, job.allowed_targets) == (Phase.SUCCEEDED, None, ())
    assert job.result is not None
    assert job.result.content == b'{"answer":42}'
    assert job.progress == Progress("done", 1, 1)
    assert job.end_time == job.update_time == server.clock.now


async def test_the_same_move_again_changes_nothing(client: AsyncClient) -> None:
    grant = await leased_job(client)
    first = await client.transition(grant, "succeeded", result=b"once")

    again = await client.transition(grant, "succeeded", result=b"once")

    assert again.replayed
    assert again.job == first.job
    events = [event async for event in client.list_job_events(grant.job_id)]
    assert [event.to_state for event in events] == ["pending", "running", "succeeded"]


async def test_another_move_after_the_end_is_illegal(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.transition(grant, "succeeded")

    with pytest.raises(errors.IllegalTransition) as refused:
        await client.transition(grant, "failed")

    assert refused.value.metadata["from"] == "succeeded"
    assert refused.value.metadata["to"] == "failed"
    assert refused.value.metadata["allowed"] == ""


async def test_the_edge_is_judged_before_the_lease(client: AsyncClient) -> None:
    grant = await leased_job(client)
    nobody = LeaseKey(grant.job_id, b"made up")

    with pytest.raises(errors.IllegalTransition) as refused:
        await client.transition(nobody, "pending")
    with pytest.raises(LeaseLost):
        await client.transition(nobody, "succeeded")

    assert refused.value.metadata["allowed"] == "succeeded, failed, cancelled, paused"


async def test_a_job_nobody_leased_cannot_be_moved(client: AsyncClient) -> None:
    job = await new_job(client)

    with pytest.raises(LeaseLost):
        await client.transition(LeaseKey(job.id), "running")
    with pytest.raises(errors.IllegalTransition):
        await client.transition(LeaseKey(job.id), "succeeded")


async def test_a_failed_attempt_goes_back_after_a_delay(client: AsyncClient, server: Server) -> None:
    policy = RetryPolicy(max_attempts=3, initial_delay=10, multiplier=2, max_delay=60)
    await new_job(client, retry=policy)
    grant = await acquire_one(client)

    moved = await client.transition(grant, "failed", error=Failure("timeout", "too slow"))

    job = await client.get_job(grant.job_id)
    assert (moved.job.state, job.attempt, job.lease, job.end_time) == ("pending", 2, None, None)
    assert job.error == Failure("timeout", "too slow", retryable=True)
    assert job.schedule_time is not None
    assert timedelta(seconds=5) <= job.schedule_time - server.clock.now <= timedelta(seconds=10)
    again = await client.transition(grant, "failed")
    assert (again.replayed, again.job.attempt) == (True, 2)
    with pytest.raises(LeaseLost):
        await client.renew(grant)


async def test_attempts_end_at_their_limit(client: AsyncClient, server: Server) -> None:
    await new_job(client, retry_attempts=3)
    seen, ended = [], None
    for _ in range(3):
        grant = await acquire_one(client)
        seen.append((grant.attempt, grant.last_attempt))
        ended = (await client.transition(grant, "failed")).job
        server.clock.move(minutes=10)
        await server.promote()

    assert seen == [(1, False), (2, False), (3, True)]
    assert ended is not None
    assert (ended.state, ended.attempt) == ("failed", 3)


async def test_a_failure_that_cannot_be_mended_is_final(client: AsyncClient) -> None:
    await new_job(client, retry_attempts=3)
    grant = await acquire_one(client)

    moved = await client.transition(grant, "failed", error=Failure("bad input", retryable=False))

    assert (moved.job.state, moved.job.attempt) == ("failed", 1)


async def test_success_removes_the_error_of_an_earlier_attempt(client: AsyncClient, server: Server) -> None:
    await new_job(client, retry_attempts=2)
    await client.transition(await acquire_one(client), "failed", error=Failure("first"))
    server.clock.move(minutes=10)
    await server.promote()
    grant = await acquire_one(client)
    assert grant.job.error == Failure("first", retryable=True)

    await client.transition(grant, "succeeded")

    assert (await client.get_job(grant.job_id)).error is None


async def test_a_stale_version_is_refused(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.renew(grant)

    with pytest.raises(errors.VersionMismatch) as refused:
        await client.transition(grant, "succeeded", expected_version=1)

    assert refused.value.metadata["version"] == "2"
    assert (await client.transition(grant, "succeeded", expected_version=2)).job.version == 3


async def test_each_item_of_a_batch_stands_for_itself(client: AsyncClient) -> None:
    good = await leased_job(client)
    stale = await leased_job(client)
    await client.release(stale)
    unknown = LeaseKey("00000000-0000-7000-8000-000000000000", b"t")

    done = await client.transition_many(
        [
            Transition(lease=good, to="succeeded"),
            Transition(lease=stale, to="succeeded"),
            Transition(lease=unknown, to="succeeded"),
            Transition(lease=LeaseKey("no id", b"t"), to="succeeded"),
            Transition(lease=good, to="succeeded"),
        ]
    )

    first, lost, absent, bad, doubled = done.results
    assert not isinstance(first, errors.TenureError)
    assert not isinstance(doubled, errors.TenureError)
    assert (first.state, first.replayed, doubled.replayed) == ("succeeded", False, True)
    assert isinstance(lost, errors.IllegalTransition | LeaseLost)
    assert isinstance(absent, errors.JobNotFound)
    assert isinstance(bad, errors.InvalidField)


async def test_an_oversize_result_is_refused_and_the_job_can_still_end(client: AsyncClient) -> None:
    grant = await leased_job(client)

    with pytest.raises(errors.InvalidField) as refused:
        await client.transition(grant, "succeeded", result=b"x" * (1024 * 1024 + 1))

    assert refused.value.metadata["field"] == "result.content"
    moved = await client.transition(grant, "succeeded", result=b"x" * 1024 * 1024)
    assert moved.job.state == "succeeded"


async def test_history_tells_every_step(client: AsyncClient, server: Server) -> None:
    await new_job(client, retry_attempts=2)
    first = await acquire_one(client, holder="a")
    server.clock.move(seconds=LEASE)
    await server.reap()
    second = await acquire_one(client, holder="b")
    await client.transition(second, "succeeded")

    events = [event async for event in client.list_job_events(first.job_id)]

    told = [(e.from_state, e.to_state, e.reason.value, e.holder, e.fence, e.attempt) for e in events]
    assert told == [
        ("", "pending", "CREATED", "", 0, 1),
        ("pending", "running", "ACQUIRED", "a", 1, 1),
        ("running", "pending", "EXPIRED", "a", 1, 2),
        ("pending", "running", "ACQUIRED", "b", 2, 2),
        ("running", "succeeded", "MOVED", "b", 2, 2),
    ]
    assert [event.version for event in events] == [0, 1, 2, 3, 4]
