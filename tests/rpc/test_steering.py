"""Steering jobs without a lease: cancel, pause, resume, retry, update, delete."""

from datetime import timedelta

import pytest

from tenure import AsyncClient, Directive, EmptyReason, Failure, LeaseLost, Phase, errors
from tests.factories import LEASE, QUEUE, acquire_one, leased_job, new_job
from tests.fixtures.server import Server

UNKNOWN = "00000000-0000-7000-8000-000000000000"


async def test_a_waiting_job_is_cancelled_at_once(client: AsyncClient, server: Server) -> None:
    job = await new_job(client)
    server.clock.move(seconds=1)

    cancelled = await client.cancel(job.id, "not needed")

    assert (cancelled.state, cancelled.phase, cancelled.version) == ("cancelled", Phase.CANCELLED, 1)
    assert (cancelled.cancel_reason, cancelled.end_time) == ("not needed", server.clock.now)
    assert (await client.acquire("me", queues=[QUEUE])).empty_reason is EmptyReason.NO_JOBS


async def test_a_running_job_is_cancelled_by_its_holder(client: AsyncClient) -> None:
    grant = await leased_job(client)

    asked = await client.cancel(grant.job_id, "stop it")
    lease = await client.renew(grant)

    assert (asked.state, asked.directive) == ("running", Directive.CANCEL)
    assert (lease.directive, lease.directive_reason) == (Directive.CANCEL, "stop it")
    assert (await client.report_progress(grant, "x")).directive is Directive.CANCEL
    moved = await client.transition(grant, "cancelled")
    assert moved.job.state == "cancelled"
    assert (await client.transition(grant, "cancelled")).replayed


async def test_cancelling_again_keeps_the_first_reason(client: AsyncClient) -> None:
    waiting, grant = await new_job(client), await leased_job(client, priority=-1)
    for job_id in (waiting.id, grant.job_id):
        first = await client.cancel(job_id, "first")
        again = await client.cancel(job_id, "second")
        assert again == first
        assert again.cancel_reason == "first"


async def test_completion_wins_over_a_cancel_that_came_too_late(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.cancel(grant.job_id)

    moved = await client.transition(grant, "succeeded")

    assert moved.job.state == "succeeded"
    with pytest.raises(errors.JobTerminal):
        await client.cancel(grant.job_id)


@pytest.mark.parametrize("end", ["fail", "expire", "release"])
async def test_a_job_that_was_to_be_cancelled_is_not_tried_again(
    client: AsyncClient, server: Server, end: str
) -> None:
    grant = await leased_job(client, retry_attempts=3)
    await client.cancel(grant.job_id)

    if end == "fail":
        await client.transition(grant, "failed", error=Failure("stopped"))
    elif end == "release":
        await client.release(grant)
    else:
        server.clock.move(seconds=LEASE)
        await server.reap()

    job = await client.get_job(grant.job_id)
    assert (job.state, job.attempt) == ("cancelled", 1)


@pytest.mark.parametrize("state", ["succeeded", "failed"])
async def test_an_ended_job_cannot_be_cancelled(client: AsyncClient, state: str) -> None:
    grant = await leased_job(client)
    await client.transition(grant, state)

    with pytest.raises(errors.JobTerminal) as refused:
        await client.cancel(grant.job_id)

    assert refused.value.metadata["job_id"] == grant.job_id


async def test_a_waiting_job_is_paused_and_resumed(client: AsyncClient) -> None:
    job = await new_job(client)

    paused = await client.pause(job.id)
    assert (paused.state, paused.phase) == ("paused", Phase.PARKED)
    assert (await client.pause(job.id)).version == paused.version
    assert (await client.acquire("me", queues=[QUEUE])).grants == ()
    assert (await client.resume(job.id)).state == "pending"
    assert (await acquire_one(client)).job_id == job.id


async def test_a_running_job_is_paused_by_its_holder(client: AsyncClient) -> None:
    grant = await leased_job(client)
    assert (await client.pause(grant.job_id)).directive is Directive.PAUSE

    assert (await client.renew(grant)).directive is Directive.PAUSE
    moved = await client.transition(grant, "paused", checkpoint=b"half way")
    assert (moved.job.state, moved.job.directive) == ("paused", None)
    with pytest.raises(errors.StillDraining):
        await client.resume(grant.job_id)
    assert (await client.release(grant)).state == "paused"
    assert (await client.resume(grant.job_id)).state == "pending"
    again = await acquire_one(client)
    assert again.job.checkpoint is not None
    assert again.job.checkpoint.content == b"half way"


async def test_a_pause_can_be_taken_back(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.pause(grant.job_id)

    await client.resume(grant.job_id)

    assert (await client.renew(grant)).directive is None


async def test_a_paused_jobs_dead_holder_leaves_it_paused(client: AsyncClient, server: Server) -> None:
    grant = await leased_job(client, retry_attempts=3)
    await client.pause(grant.job_id)
    server.clock.move(seconds=LEASE)
    await server.reap()

    assert (await client.get_job(grant.job_id)).state == "paused"
    assert (await client.acquire("me", queues=[QUEUE])).grants == ()
    await client.resume(grant.job_id)
    assert (await acquire_one(client)).attempt == 2


async def test_cancel_goes_before_pause(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.pause(grant.job_id)
    await client.cancel(grant.job_id)

    assert (await client.renew(grant)).directive is Directive.CANCEL


async def test_an_ended_job_cannot_be_paused_or_resumed(client: AsyncClient) -> None:
    grant = await leased_job(client)
    await client.transition(grant, "succeeded")

    with pytest.raises(errors.IllegalTransition):
        await client.pause(grant.job_id)
    with pytest.raises(errors.IllegalTransition):
        await client.resume(grant.job_id)


@pytest.mark.parametrize("state", ["failed", "cancelled"])
async def test_retry_opens_an_ended_job_again(client: AsyncClient, state: str) -> None:
    job = await new_job(client, payload=b"in")
    grant = await acquire_one(client)
    await client.report_progress(grant, "x", 1, 2)
    await client.save_checkpoint(grant, b"kept")
    await client.cancel(job.id, "why")
    await client.transition(
        grant, state, error=Failure("bad", retryable=False) if state == "failed" else None
    )

    again = await client.retry(job.id)

    full = await client.get_job(job.id)
    assert (again.state, again.attempt, again.progress, again.cancel_reason) == ("pending", 2, None, "")
    assert (full.error, full.directive, full.end_time) == (None, None, None)
    assert full.payload is not None
    assert full.checkpoint is not None
    assert full.checkpoint.content == b"kept"
    with pytest.raises(LeaseLost):
        await client.renew(grant)


async def test_only_what_the_lifecycle_says_can_be_retried(client: AsyncClient) -> None:
    grant = await leased_job(client)
    with pytest.raises(errors.NotRetryable):
        await client.retry(grant.job_id)
    await client.transition(grant, "succeeded")

    with pytest.raises(errors.NotRetryable) as refused:
        await client.retry(grant.job_id)

    assert refused.value.metadata["retryable"] == "cancelled, failed"


async def test_a_deadline_ends_the_job(client: AsyncClient, server: Server) -> None:
    waiting = await new_job(client, expire_time=server.clock.now + timedelta(seconds=60))
    leased = await new_job(client, priority=-1, expire_time=server.clock.now + timedelta(seconds=60))
    grant = await acquire_one(client, leased, lease_duration=300)
    server.clock.move(seconds=59)
    assert await server.expire() == 0
    server.clock.move(seconds=1)

    assert await server.expire() == 2

    for job_id in (waiting.id, grant.job_id):
        job = await client.get_job(job_id)
        assert job.state == "failed"
        assert job.error is not None
        assert job.error.code == "deadline_exceeded"
    with pytest.raises(LeaseLost):
        await client.renew(grant)
    assert await server.expire() == 0


async def test_a_scheduled_job_waits_for_its_time(client: AsyncClient, server: Server) -> None:
    job = await new_job(client, schedule_time=server.clock.now + timedelta(seconds=60))

    server.clock.move(seconds=59, microseconds=999_999)
    assert await server.promote() == 0
    by_id = await client.acquire("me", job_id=job.id)
    assert by_id.empty_reason is EmptyReason.SCHEDULED_LATER
    server.clock.move(microseconds=1)
    assert await server.promote() == 1
    assert (await acquire_one(client)).job_id == job.id


async def test_a_schedule_can_be_changed_while_the_job_waits(client: AsyncClient, server: Server) -> None:
    job = await new_job(client)
    later = server.clock.now + timedelta(hours=1)

    assert (await client.update_job(job.id, schedule_time=later)).schedule_time == later
    assert (await client.acquire("me", queues=[QUEUE])).grants == ()
    assert (await client.update_job(job.id, schedule_time=server.clock.now)).schedule_time is None
    grant = await acquire_one(client)
    with pytest.raises(errors.UnexpectedState):
        await client.update_job(job.id, schedule_time=later)
    with pytest.raises(errors.UnexpectedState):
        await client.update_job(job.id, priority=3)
    await client.update_job(grant.job_id, pinned=True, labels={"a": "b"})
    shown = await client.get_job(job.id)
    assert (shown.pinned, shown.labels) == (True, {"a": "b"})


async def test_a_new_priority_moves_a_waiting_job(client: AsyncClient) -> None:
    first, second = await new_job(client), await new_job(client)
    await client.update_job(second.id, priority=-1)

    assert (await acquire_one(client)).job_id == second.id
    assert (await acquire_one(client)).job_id == first.id


async def test_an_update_of_nothing_is_refused(client: AsyncClient) -> None:
    job = await new_job(client)

    with pytest.raises(errors.InvalidField):
        await client.update_job(job.id)


async def test_ended_jobs_are_hidden_and_brought_back(client: AsyncClient, server: Server) -> None:
    job = await new_job(client)
    with pytest.raises(errors.UnexpectedState):
        await client.delete_job(job.id)
    await client.cancel(job.id)

    hidden = await client.delete_job(job.id)
    assert hidden.deleted_time == server.clock.now
    assert [j.id async for j in client.list_jobs()] == []
    assert (await client.get_job(job.id)).id == job.id
    assert (await client.undelete_job(job.id)).deleted_time is None
    assert [j.id async for j in client.list_jobs()] == [job.id]


@pytest.mark.parametrize(
    "verb", ["cancel", "pause", "resume", "retry", "delete_job", "undelete_job", "get_job", "wait_job"]
)
async def test_an_unknown_job_is_not_found(client: AsyncClient, verb: str) -> None:
    with pytest.raises(errors.JobNotFound):
        await getattr(client, verb)(UNKNOWN)


@pytest.mark.parametrize("verb", ["cancel", "pause", "delete_job", "retry"])
async def test_a_stale_version_is_refused_and_changes_nothing(client: AsyncClient, verb: str) -> None:
    job = await new_job(client)
    if verb in ("delete_job", "retry"):
        await client.cancel(job.id)
    before = await client.get_job(job.id)

    with pytest.raises(errors.VersionMismatch):
        await getattr(client, verb)(job.id, expected_version=before.version + 1)

    assert await client.get_job(job.id) == before
