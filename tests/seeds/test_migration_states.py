"""The migration job store: its state graphs, progress, cancel, retry, restart (rows N-038 to N-078)."""

from datetime import timedelta

import pytest

from tenure import AsyncClient, Failure, LeaseKey, Progress, errors
from tests.fixtures.server import Server, running_server
from tests.seeds.migration import (
    DIRECTIONS,
    ENDED,
    LEASE,
    LIVE,
    STATES,
    Outside,
    lease,
    lifecycle,
    new_migration,
    put,
    row,
)

UNKNOWN = "00000000-0000-7000-8000-000000000000"
EDGES = [
    (direction, source, target)
    for direction in DIRECTIONS
    for source in STATES
    for target in lifecycle(direction).allowed(source)
]
SOURCES = [(direction, source) for direction in DIRECTIONS for source in STATES]
CANCELLABLE = ("pending", "preparing", "transferring", "validating", "ready_to_activate")
RETRYABLE = ("failed", "cancelled", "expired")


@pytest.mark.seed_n("N-043")
def test_there_are_as_many_edges_as_the_tables_have() -> None:
    counted = {d: sum(1 for direction, *_ in EDGES if direction == d) for d in DIRECTIONS}

    assert counted == {"migration-import": 22, "migration-export": 16}


@pytest.mark.seed_n("N-038", "N-039")
@pytest.mark.parametrize("direction, source, target", EDGES)
async def test_every_edge_can_be_taken(
    client: AsyncClient, server: Server, outside: Outside, direction: str, source: str, target: str
) -> None:
    job = await new_migration(client, direction)
    await put(outside, job, source, server.clock.now)
    grant = await lease(client, job)
    server.clock.move(minutes=1)

    moved = (await client.transition(grant, target)).job

    stored = await row(outside, job.id)
    assert (moved.state, moved.update_time, stored["version"]) == (target, server.clock.now, 2)
    assert (moved.lease is None) == (target in ENDED)
    assert moved.end_time == (server.clock.now if target in ENDED else None)


@pytest.mark.seed_n("N-040", "N-042")
@pytest.mark.parametrize("direction, source", SOURCES)
async def test_every_other_move_is_refused(
    client: AsyncClient, server: Server, outside: Outside, direction: str, source: str
) -> None:
    job = await new_migration(client, direction)
    await put(outside, job, source, server.clock.now)
    token = (await lease(client, job)).token if source in LIVE else b"token"
    before = await row(outside, job.id)

    for target in set(STATES) - set(lifecycle(direction).allowed(source)):
        with pytest.raises(errors.IllegalTransition):
            await client.transition(LeaseKey(job.id, token), target)

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-041")
@pytest.mark.parametrize("state", ENDED)
async def test_the_edge_is_judged_before_the_token(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)

    with pytest.raises(errors.IllegalTransition):
        await client.transition(LeaseKey(job.id, b"made up"), "preparing")
    with pytest.raises(errors.JobNotFound):
        await client.transition(LeaseKey(UNKNOWN, b"made up"), "preparing")


@pytest.mark.seed_n("N-044")
async def test_every_change_counts_once_and_a_refused_one_never(
    client: AsyncClient, outside: Outside
) -> None:
    job = await new_migration(client)
    versions = [job.version]

    async def note() -> None:
        versions.append((await row(outside, job.id))["version"])

    grant = await lease(client, job)
    await note()
    await client.renew(grant)
    await note()
    await client.report_progress(grant, "x", 1)
    await note()
    await client.transition(grant, "preparing")
    await note()
    with pytest.raises(errors.IllegalTransition):
        await client.transition(grant, "completed")
    await note()
    await client.release(grant)
    await note()
    await client.cancel(job.id)
    await note()
    await client.retry(job.id)
    await note()

    assert versions == [0, 1, 2, 3, 4, 4, 5, 6, 7]


@pytest.mark.seed_n("N-050")
async def test_progress_is_stored_as_told(client: AsyncClient, server: Server, outside: Outside) -> None:
    grant = await lease(client, await new_migration(client))
    server.clock.move(minutes=1)

    await client.report_progress(grant, "transferring", 512, 2048, message="half a gigabyte")

    stored = await row(outside, grant.job_id)
    told = (stored["progress_label"], stored["progress_done"], stored["progress_total"])
    assert told == ("transferring", 512, 2048)
    assert stored["progress_message"] == "half a gigabyte"
    assert stored["heartbeat_time"] == stored["update_time"] == server.clock.now
    assert (stored["version"], stored["state"]) == (2, "pending")
    assert stored["lease_expire_time"] == server.clock.now + timedelta(seconds=LEASE - 60)


@pytest.mark.seed_n("N-051")
async def test_each_report_replaces_the_whole(client: AsyncClient) -> None:
    grant = await lease(client, await new_migration(client))
    await client.report_progress(grant, "transferring", 512, 2048, message="half")
    await client.report_progress(grant, "transferring", 600)

    assert (await client.get_job(grant.job_id)).progress == Progress("transferring", 600)


@pytest.mark.seed_n("N-052")
@pytest.mark.parametrize("state", LIVE)
async def test_progress_is_taken_in_every_live_state(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)
    grant = await lease(client, job)

    await client.report_progress(grant, "transferring", 9)
    await client.report_progress(grant, "preparing", 3)

    assert (await client.get_job(job.id)).progress == Progress("preparing", 3)


@pytest.mark.seed_n("N-053", "N-055")
@pytest.mark.parametrize("state", CANCELLABLE)
@pytest.mark.parametrize("reason", ["operator", ""])
async def test_cancel_ends_a_job_at_once(
    client: AsyncClient, server: Server, outside: Outside, state: str, reason: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)
    await lease(client, job)
    server.clock.move(minutes=1)

    cancelled = await client.cancel(job.id, reason)

    stored = await row(outside, job.id)
    assert (cancelled.state, cancelled.cancel_reason, cancelled.lease) == ("cancelled", reason, None)
    assert cancelled.end_time == cancelled.update_time == server.clock.now
    assert (stored["lease_token"], stored["lease_expire_time"]) == (None, None)
    assert (stored["version"], stored["attempt"]) == (2, 1)


@pytest.mark.seed_n("N-054")
async def test_cancelling_again_changes_nothing(client: AsyncClient, outside: Outside) -> None:
    job = await new_migration(client)
    await client.cancel(job.id, "first")
    before = await row(outside, job.id)

    assert (await client.cancel(job.id, "second")).cancel_reason == "first"

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-057")
async def test_past_the_activation_boundary_nothing_is_cancelled(
    client: AsyncClient, server: Server, outside: Outside
) -> None:
    job = await new_migration(client)
    await put(outside, job, "activating", server.clock.now)
    before = await row(outside, job.id)

    with pytest.raises(errors.CannotCancel):
        await client.cancel(job.id)

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-058")
@pytest.mark.parametrize("state", ["completed", "failed", "expired"])
async def test_an_ended_job_is_not_cancelled(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)
    before = await row(outside, job.id)

    with pytest.raises(errors.JobTerminal):
        await client.cancel(job.id)

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-059", "N-071")
async def test_an_unknown_job_is_neither_cancelled_nor_retried(client: AsyncClient) -> None:
    with pytest.raises(errors.JobNotFound):
        await client.cancel(UNKNOWN)
    with pytest.raises(errors.JobNotFound):
        await client.retry(UNKNOWN)


@pytest.mark.seed_n("N-064", "N-065", "N-066", "N-067")
@pytest.mark.parametrize("state", RETRYABLE)
async def test_retry_opens_a_job_as_if_new(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    grant = await lease(client, job)
    await client.report_progress(grant, "transferring", 512, 2048, message="half")
    await client.transition(grant, "failed", error=Failure("broken", "it broke"))
    await put(outside, job, state, server.clock.now, attempt=2, cancel_reason="why")
    server.clock.move(hours=1)

    again = await client.retry(job.id)

    stored, full = await row(outside, job.id), await client.get_job(job.id)
    assert (again.state, again.attempt, again.update_time) == ("pending", 3, server.clock.now)
    assert (full.lease, full.error, full.progress, full.end_time, full.cancel_reason) == (None,) * 4 + ("",)
    assert (stored["lease_token"], stored["heartbeat_time"]) == (None, None)
    assert full.expire_time == server.clock.now + timedelta(hours=24)
    assert (full.id, full.lifecycle, full.create_time) == (job.id, job.lifecycle, job.create_time)


@pytest.mark.seed_n("N-070")
@pytest.mark.parametrize("state", [*LIVE, "completed"])
async def test_only_failed_cancelled_and_expired_jobs_are_retried(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)
    before = await row(outside, job.id)

    with pytest.raises(errors.NotRetryable):
        await client.retry(job.id)

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-077", "N-078")
async def test_a_lease_outlives_the_server(client: AsyncClient, server: Server, dsn: str) -> None:
    grant = await lease(client, await new_migration(client))
    await client.report_progress(grant, "transferring", 512, 2048)
    await server.application.drain(0)
    server.clock.move(minutes=1)

    async with (
        running_server(dsn, server.target + "2", server.clock) as restarted,
        AsyncClient(restarted.target) as again,
    ):
        found = await again.get_job(grant.job_id)
        renewed = await again.renew(grant)

    assert (found.state, found.progress) == ("pending", Progress("transferring", 512, 2048))
    assert found.lease is not None
    assert renewed.ttl == LEASE
