"""The migration job store: creation, and who holds a job (rows N-005 to N-037)."""

import asyncio
from datetime import timedelta

import pytest

from tenure import AsyncClient, Created, EmptyReason, LeaseKey, LeaseLost, Phase, errors
from tests.fixtures.server import Server
from tests.seeds.migration import (
    DIRECTIONS,
    ENDED,
    LEASE,
    LIVE,
    Outside,
    lease,
    new_migration,
    put,
    row,
)

UNKNOWN = "00000000-0000-7000-8000-000000000000"


@pytest.mark.seed_n("N-004", "N-005")
async def test_a_new_job_is_pending_and_unleased(client: AsyncClient, server: Server) -> None:
    created = await client.create_job("migrations", lifecycle="migration-import", idempotency_key="key")

    job = created.job
    assert created.created
    assert (job.state, job.phase, job.lifecycle) == ("pending", Phase.WAITING, "migration-import")
    assert (job.attempt, job.version, job.lease, job.error) == (1, 0, None, None)
    assert job.create_time == job.update_time == server.clock.now
    assert job.expire_time == server.clock.now + timedelta(hours=24)


@pytest.mark.seed_n("N-006")
async def test_the_same_creation_again_is_a_replay(client: AsyncClient, outside: Outside) -> None:
    first = await new_migration(client)
    before = await row(outside, first.id)

    again = await client.create_job("migrations", lifecycle="migration-import", idempotency_key="key")

    assert (again.created, again.job.id) == (False, first.id)
    assert await row(outside, first.id) == before
    assert len([job async for job in client.list_jobs()]) == 1


@pytest.mark.seed_n("N-007")
async def test_the_fingerprint_covers_the_direction_and_not_the_key(
    client: AsyncClient, outside: Outside
) -> None:
    for key in ("one", "two"):
        await new_migration(client, key=key)
    await new_migration(client, "migration-export", key="three")

    cursor = await outside.execute("SELECT fingerprint FROM job_key ORDER BY job_id")
    one, two, three = [found[0] for found in await cursor.fetchall()]
    assert one == two != three
    assert isinstance(one, bytes)
    assert len(one) == 32


@pytest.mark.seed_n("N-008")
async def test_the_key_of_an_import_is_refused_for_an_export(client: AsyncClient, outside: Outside) -> None:
    first = await new_migration(client)
    before = await row(outside, first.id)

    with pytest.raises(errors.IdempotencyKeyReused):
        await new_migration(client, "migration-export")

    assert await row(outside, first.id) == before
    assert len([job async for job in client.list_jobs()]) == 1


@pytest.mark.seed_n("N-009")
async def test_two_creators_at_once_make_one_job(server: Server, second_server: Server) -> None:
    async with AsyncClient(server.target) as one, AsyncClient(second_server.target) as two:
        for number in range(10):
            made: list[Created] = await asyncio.gather(
                *(
                    client.create_job(lifecycle="migration-import", idempotency_key=f"key {number}")
                    for client in (one, two)
                )
            )
            assert made[0].job.id == made[1].job.id
            assert {made[0].created, made[1].created} == {True, False}


@pytest.mark.seed_n("N-011")
async def test_two_directions_at_once_make_one_job_and_one_conflict(
    server: Server, second_server: Server
) -> None:
    async with AsyncClient(server.target) as one, AsyncClient(second_server.target) as two:
        for number in range(10):
            made = await asyncio.gather(
                new_migration(one, "migration-import", f"key {number}"),
                new_migration(two, "migration-export", f"key {number}"),
                return_exceptions=True,
            )
            assert sum(isinstance(found, errors.IdempotencyKeyReused) for found in made) == 1
        assert len([job async for job in one.list_jobs()]) == 10


@pytest.mark.seed_n("N-014")
async def test_an_unknown_job_is_not_found(client: AsyncClient) -> None:
    with pytest.raises(errors.JobNotFound):
        await client.get_job(UNKNOWN)


@pytest.mark.seed_n("N-015")
async def test_acquiring_gives_a_token_and_moves_nothing(
    client: AsyncClient, server: Server, outside: Outside
) -> None:
    job = await new_migration(client)
    server.clock.move(minutes=1)

    grant = await lease(client, job)

    stored = await row(outside, job.id)
    assert stored["lease_token"] == grant.token
    assert stored["lease_expire_time"] == server.clock.now + timedelta(seconds=LEASE)
    assert stored["heartbeat_time"] == stored["update_time"] == server.clock.now
    assert (stored["version"], stored["state"], stored["attempt"]) == (1, "pending", 1)


@pytest.mark.seed_n("N-016")
async def test_a_live_lease_cannot_be_taken(client: AsyncClient, outside: Outside) -> None:
    job = await new_migration(client)
    await lease(client, job, "same")
    before = await row(outside, job.id)

    for holder in ("same", "other"):
        answer = await client.acquire(holder, job_id=job.id)
        assert (answer.grants, answer.empty_reason) == ((), EmptyReason.LEASED_BY_ANOTHER)

    assert await row(outside, job.id) == before


@pytest.mark.seed_n("N-017")
async def test_a_lapsed_lease_is_followed_by_another(
    client: AsyncClient, server: Server, outside: Outside
) -> None:
    first = await lease(client, await new_migration(client))
    server.clock.move(seconds=LEASE + 1)

    second = await lease(client, first.job)

    stored = await row(outside, first.job_id)
    assert second.token != first.token
    assert stored["version"] == 2
    assert stored["lease_expire_time"] == server.clock.now + timedelta(seconds=LEASE)
    assert stored["heartbeat_time"] == stored["update_time"] == server.clock.now


@pytest.mark.seed_n("N-018")
@pytest.mark.parametrize("seconds", [0, -1])
async def test_a_lease_must_last(client: AsyncClient, seconds: float) -> None:
    with pytest.raises(errors.InvalidField):
        await client.acquire("worker", job_id=UNKNOWN, lease_duration=seconds)


@pytest.mark.seed_n("N-019")
async def test_an_unknown_job_cannot_be_acquired(client: AsyncClient) -> None:
    with pytest.raises(errors.JobNotFound):
        await client.acquire("worker", job_id=UNKNOWN)


@pytest.mark.seed_n("N-020")
@pytest.mark.parametrize("state", ENDED)
async def test_an_ended_job_is_not_handed_out(
    client: AsyncClient, server: Server, outside: Outside, state: str
) -> None:
    job = await new_migration(client)
    await put(outside, job, state, server.clock.now)

    assert (await client.acquire("worker", job_id=job.id)).empty_reason is EmptyReason.TERMINAL


@pytest.mark.seed_n("N-021")
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("state", LIVE)
async def test_every_live_state_can_be_leased(
    client: AsyncClient, server: Server, outside: Outside, direction: str, state: str
) -> None:
    job = await new_migration(client, direction)
    await put(outside, job, state, server.clock.now)

    assert (await lease(client, job)).job.state == state


@pytest.mark.seed_n("N-022")
async def test_a_token_without_a_lease_does_not_hold_a_job(client: AsyncClient, outside: Outside) -> None:
    job = await new_migration(client)
    await outside.execute("UPDATE job SET lease_token = 'orphaned-token' WHERE id = %s", [job.id])

    assert (await lease(client, job)).token != b"orphaned-token"


@pytest.mark.seed_n("N-023")
@pytest.mark.parametrize("again", [1, 2])
async def test_eight_workers_race_and_one_wins(
    server: Server, second_server: Server, outside: Outside, again: int
) -> None:
    async with AsyncClient(server.target) as one, AsyncClient(second_server.target) as two:
        job = await new_migration(one)
        answers = await asyncio.gather(
            *((one, two)[i % 2].acquire(f"worker {i}", job_id=job.id) for i in range(8))
        )

    won = [answer.grants[0] for answer in answers if answer.grants]
    assert len(won) == 1
    assert (await row(outside, job.id))["lease_token"] == won[0].token


@pytest.mark.seed_n("N-024")
async def test_a_wrong_token_renews_nothing(client: AsyncClient, server: Server, outside: Outside) -> None:
    grant = await lease(client, await new_migration(client))
    before = await row(outside, grant.job_id)
    server.clock.move(minutes=1)

    with pytest.raises(LeaseLost):
        await client.renew(LeaseKey(grant.job_id, b"wrong"))

    assert await row(outside, grant.job_id) == before


@pytest.mark.seed_n("N-025")
async def test_renewal_counts_from_now(client: AsyncClient, server: Server, outside: Outside) -> None:
    grant = await lease(client, await new_migration(client))
    server.clock.move(minutes=1)

    await client.renew(grant)

    stored = await row(outside, grant.job_id)
    assert stored["lease_expire_time"] == server.clock.now + timedelta(seconds=LEASE)
    assert (stored["heartbeat_time"], stored["version"]) == (server.clock.now, 2)


@pytest.mark.seed_n("N-026")
async def test_at_its_very_end_a_lease_is_over(client: AsyncClient, server: Server, outside: Outside) -> None:
    grant = await lease(client, await new_migration(client))
    server.clock.move(seconds=LEASE)
    before = await row(outside, grant.job_id)

    with pytest.raises(LeaseLost):
        await client.renew(grant)

    assert await row(outside, grant.job_id) == before


@pytest.mark.seed_n("N-027")
async def test_after_a_takeover_only_the_new_token_renews(client: AsyncClient, server: Server) -> None:
    old = await lease(client, await new_migration(client))
    server.clock.move(seconds=LEASE + 1)
    new = await lease(client, old.job)

    with pytest.raises(LeaseLost):
        await client.renew(old)
    assert (await client.renew(new)).version == 3


@pytest.mark.seed_n("N-028")
async def test_an_ended_job_renews_nothing(client: AsyncClient) -> None:
    grant = await lease(client, await new_migration(client))
    await client.transition(grant, "failed")

    with pytest.raises(LeaseLost):
        await client.renew(grant)


@pytest.mark.seed_n("N-029", "N-033")
async def test_an_unknown_job_is_neither_renewed_nor_released(client: AsyncClient) -> None:
    nobody = LeaseKey(UNKNOWN, b"token")

    with pytest.raises(errors.JobNotFound):
        await client.renew(nobody)
    with pytest.raises(errors.JobNotFound):
        await client.release(nobody)


@pytest.mark.seed_n("N-030")
async def test_a_stale_token_releases_nothing(client: AsyncClient, server: Server, outside: Outside) -> None:
    old = await lease(client, await new_migration(client))
    server.clock.move(seconds=LEASE + 1)
    await lease(client, old.job)
    before = await row(outside, old.job_id)

    for token in (old.token, b"never issued"):
        with pytest.raises(LeaseLost):
            await client.release(LeaseKey(old.job_id, token))

    assert await row(outside, old.job_id) == before


@pytest.mark.seed_n("N-031", "N-032")
async def test_release_frees_the_job_once(client: AsyncClient, server: Server, outside: Outside) -> None:
    job = await new_migration(client)
    await put(outside, job, "transferring", server.clock.now)
    grant = await lease(client, job)

    released = await client.release(grant)
    again = await client.release(grant)

    assert (released.state, released.attempt, released.lease, released.version) == (
        "transferring",
        1,
        None,
        2,
    )
    assert again == released
    assert (await lease(client, job)).fence == 2


@pytest.mark.seed_n("N-034", "N-035")
async def test_after_a_takeover_only_the_new_token_writes(
    client: AsyncClient, server: Server, outside: Outside
) -> None:
    job = await new_migration(client)
    await put(outside, job, "transferring", server.clock.now)
    old = await lease(client, job)
    server.clock.move(seconds=LEASE + 1)
    new = await lease(client, job)
    before = await row(outside, job.id)

    with pytest.raises(LeaseLost):
        await client.transition(old, "validating")
    with pytest.raises(LeaseLost):
        await client.report_progress(old, "transferring", 1)
    assert await row(outside, job.id) == before
    await client.report_progress(new, "transferring", 1)
    assert (await client.transition(new, "validating")).job.state == "validating"


@pytest.mark.seed_n("N-036", "N-037")
async def test_progress_needs_the_lease_and_revives_none(
    client: AsyncClient, server: Server, outside: Outside
) -> None:
    grant = await lease(client, await new_migration(client))
    with pytest.raises(errors.JobNotFound):
        await client.report_progress(LeaseKey(UNKNOWN, grant.token), "x", 1)
    with pytest.raises(LeaseLost):
        await client.report_progress(LeaseKey(grant.job_id, b"wrong"), "x", 1)
    server.clock.move(seconds=LEASE + 1)
    before = await row(outside, grant.job_id)

    with pytest.raises(LeaseLost):
        await client.report_progress(grant, "x", 1)
    with pytest.raises(LeaseLost):
        await client.transition(grant, "preparing")

    assert await row(outside, grant.job_id) == before
    assert before["lease_token"] == grant.token
    assert before["progress_label"] is None
