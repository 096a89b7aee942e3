"""One odd row hurts neither sweeps nor claims nor lists, and a sweep gets past what it leaves alone."""

import asyncio
import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from tenure_server.domain.command import Acquire
from tenure_server.domain.errors import TenureError
from tenure_server.domain.job import NewJob
from tenure_server.maintenance import job_sweep
from tenure_server.maintenance.job_sweep import JobExpirer, JobPromoter, LeaseReaper
from tenure_server.service.calls import CreateOutcome
from tenure_server.service.jobs import Creation
from tenure_server.store.jobs import JobFilter
from tests.concurrency.history import Outside
from tests.factories import QUEUE
from tests.fixtures.service import T0, Services

GOOD = 50
LEASE = timedelta(seconds=30)

DAMAGE = {
    "a lifecycle nobody knows": "lifecycle = 'gone'",
    "a version nobody knows": "lifecycle_version = 77",
    "a state the lifecycle does not have": "state = 'nowhere'",
    "a queue of no name": "queue = ''",
    "numbers at their ends": "attempt = 2147483647, max_attempts = 1, fence = 2^62, version = 2^62",
    "a retry policy of no use": "retry_multiplier = 'NaN', retry_initial_delay = '0'",
}


async def lapsed_leases(services: Services, count: int) -> list[UUID]:
    """Jobs whose leases are over."""
    grants = await leased(services, count)
    services.clock.move(seconds=31)
    return grants


async def leased(services: Services, count: int) -> list[UUID]:
    await created(services, count)
    asked = Acquire("me", LEASE, (QUEUE,), max_leases=count)
    answer = await services.leases.acquire(services.caller(), asked, wait=timedelta(0))
    return [grant.job.id for grant in answer.outcome.grants]


async def created(services: Services, count: int, **said: Any) -> list[UUID]:
    new = NewJob(queue=QUEUE, kind="", lifecycle="standard", lifecycle_version=1, **said)
    made = await services.jobs.create(services.caller(), [Creation(new)] * count)
    return [outcome.job_id for outcome in made if isinstance(outcome, CreateOutcome)]


async def damage(outside: Outside, job_id: UUID, how: str) -> None:
    await outside.execute(f"UPDATE job SET {how} WHERE id = %s", [job_id])


async def states(outside: Outside, ids: list[UUID]) -> set[str]:
    cursor = await outside.execute("SELECT DISTINCT state FROM job WHERE id = ANY(%s)", [ids])
    return {str(row[0]) for row in await cursor.fetchall()}


async def test_a_sweep_recovers_the_good_leases_around_damaged_ones(
    services: Services, outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = await lapsed_leases(services, GOOD + len(DAMAGE))
    bad, good = jobs[10 : 10 + len(DAMAGE)], jobs[:10] + jobs[10 + len(DAMAGE) :]
    for job_id, how in zip(bad, DAMAGE.values(), strict=True):
        await damage(outside, job_id, how)
    reaper = LeaseReaper(services.database, services.flusher, services.clock)

    for _ in range(3):
        await reaper.run_once()

    assert await states(outside, good) == {"failed"}
    assert reaper.skipped >= 3
    assert sum("left out" in record.message for record in caplog.records) == 1


async def test_a_sweep_past_a_page_of_what_is_left_alone_comes_to_the_rest(
    services: Services, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_sweep, "PAGE", 10)
    jobs = await lapsed_leases(services, 35)
    await outside.execute("UPDATE job SET lifecycle = 'gone' WHERE id = ANY(%s)", [jobs[:30]])
    reaper = LeaseReaper(services.database, services.flusher, services.clock)

    found = [await reaper.run_once() for _ in range(4)]

    assert found == [10, 10, 10, 5]
    assert await states(outside, jobs[30:]) == {"failed"}


async def test_deadlines_and_schedules_of_good_jobs_are_kept_beside_damaged_ones(
    services: Services, outside: Outside
) -> None:
    due = {"schedule_time": T0 + timedelta(seconds=5), "expire_time": T0 + timedelta(seconds=20)}
    jobs = await created(services, 20, **due)
    await outside.execute("UPDATE job SET state = 'nowhere' WHERE id = ANY(%s)", [jobs[:10]])
    sweeps = (services.database, services.flusher, services.clock)

    services.clock.move(seconds=10)
    await JobPromoter(*sweeps).run_once()
    cursor = await outside.execute("SELECT count(*) FROM job WHERE ready_seq IS NOT NULL")
    assert await cursor.fetchone() == (10,)
    services.clock.move(seconds=20)
    await JobExpirer(*sweeps).run_once()

    assert await states(outside, jobs[10:]) == {"failed"}


async def test_a_damaged_job_that_is_due_does_not_keep_the_promoter_awake(
    services: Services, outside: Outside
) -> None:
    bad, _ = [
        (await created(services, 1, schedule_time=T0 + timedelta(seconds=seconds)))[0] for seconds in (5, 100)
    ]
    await damage(outside, bad, "lifecycle = 'gone'")
    promoter = JobPromoter(services.database, services.flusher, services.clock)
    services.clock.move(seconds=10)

    for _ in range(2):
        await promoter.run_once()
        assert await promoter.until_next() == 90
    await damage(outside, bad, "lifecycle = 'standard'")
    await promoter.run_once()

    cursor = await outside.execute("SELECT ready_seq IS NOT NULL FROM job WHERE id = %s", [bad])
    assert await cursor.fetchone() == (True,)


async def test_a_claim_skips_damaged_jobs_and_sets_them_aside(services: Services, outside: Outside) -> None:
    asked = Acquire("me", LEASE, (QUEUE,), max_leases=3)
    for what, how in DAMAGE.items():
        bad, *good = await created(services, 4)
        await damage(outside, bad, how)

        answers = [
            await services.leases.acquire(services.caller(), asked, wait=timedelta(0)) for _ in range(2)
        ]

        granted = [grant.job.id for answer in answers for grant in answer.outcome.grants]
        assert set(good) <= set(granted), what
        assert len(granted) == len(set(granted)), what


async def test_an_ask_for_a_damaged_job_is_refused_and_the_others_are_served(
    services: Services, outside: Outside
) -> None:
    bad, good = await created(services, 2)
    await damage(outside, bad, "lifecycle = 'gone'")

    answers = await asyncio.gather(
        *(
            services.leases.acquire(services.caller(), Acquire("me", LEASE, job_id=job_id), wait=timedelta(0))
            for job_id in (bad, good)
        ),
        return_exceptions=True,
    )

    assert isinstance(answers[0], TenureError) or not answers[0].outcome.grants  # type: ignore[union-attr]
    assert not isinstance(answers[1], BaseException)
    assert [grant.job.id for grant in answers[1].outcome.grants] == [good]


async def test_a_list_shows_damaged_jobs_beside_the_good_ones(services: Services, outside: Outside) -> None:
    from tenure_server.rpc.convert_job import job_to_proto

    jobs = await created(services, len(DAMAGE) + 1)
    for job_id, how in zip(jobs, DAMAGE.values(), strict=False):
        await damage(outside, job_id, how)

    page = await services.jobs.list(services.caller(), JobFilter(), before=None, limit=100, full=True)

    shown = [job_to_proto(record, services.catalogue, full=True).id for record in page.records]
    assert set(shown) == {str(job_id) for job_id in jobs}


async def test_what_is_set_aside_is_told_once_and_is_not_looked_at_again(
    services: Services, outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    (bad,) = await created(services, 1)
    await damage(outside, bad, "lifecycle = 'gone'")
    asked = Acquire("me", LEASE, (QUEUE,))

    answers = [await services.leases.acquire(services.caller(), asked, wait=timedelta(0)) for _ in range(3)]

    assert not any(answer.outcome.grants for answer in answers)
    told = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [str(bad) in record.getMessage() for record in told] == [True]
