"""Scopes are walls: another scope's jobs can be neither seen, touched, slowed down nor detected."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenure_server.domain.command import (
    Acquire,
    Cancel,
    Command,
    Delete,
    Move,
    Pause,
    Release,
    Renew,
    Report,
    Resume,
    Retry,
    SaveCheckpoint,
    Update,
)
from tenure_server.domain.errors import JobNotFound
from tenure_server.domain.job import Document, NewJob
from tenure_server.domain.progress import Progress
from tenure_server.service.calls import AcquireOutcome, CreateCall, CreateOutcome, Grant, JobOutcome
from tenure_server.service.jobs import Creation
from tenure_server.service.watching import Watching
from tenure_server.store import keys
from tenure_server.store.database import Transaction
from tenure_server.store.jobs import JobFilter
from tenure_server.store.keys import JobKey
from tests.concurrency.history import Outside
from tests.factories import QUEUE
from tests.fixtures.service import Services

MINE, THEIRS = "mine", "theirs"
LEASE = timedelta(seconds=30)
NOW = timedelta(0)
ANY = JobFilter()

Verb = Callable[[Services, UUID, bytes], Awaitable[Any]]


def steering(command: Any) -> Verb:
    return lambda services, job_id, _: services.jobs.steer(services.caller(MINE), job_id, command, "")


def holding(command: Callable[[bytes], Command]) -> Verb:
    async def act(services: Services, job_id: UUID, token: bytes) -> None:
        (outcome,) = await services.leases.act(services.caller(MINE), [(job_id, command(token))])
        if isinstance(outcome, Exception):
            raise outcome

    return act


async def move_and_go_on(services: Services, job_id: UUID, token: bytes) -> None:
    moves = [(job_id, Move(token, "succeeded"))]
    (outcome,), grants = await services.leases.move(
        services.caller(MINE), moves, Acquire("me", LEASE, (QUEUE,))
    )
    assert not grants
    if isinstance(outcome, Exception):
        raise outcome


VERBS: dict[str, Verb] = {
    "get": lambda services, job_id, _: services.jobs.get(services.caller(MINE), job_id, full=True),
    "wait": lambda services, job_id, _: services.jobs.wait(services.caller(MINE), job_id, (), NOW),
    "events": lambda services, job_id, _: services.jobs.events(services.caller(MINE), job_id, (-1, 0), 10),
    "acquire": lambda services, job_id, _: services.leases.acquire(
        services.caller(MINE), Acquire("me", LEASE, job_id=job_id), wait=NOW
    ),
    "cancel": steering(Cancel("no use")),
    "pause": steering(Pause()),
    "resume": steering(Resume()),
    "retry": steering(Retry()),
    "update": steering(Update(priority=5)),
    "delete": steering(Delete(True)),
    "undelete": steering(Delete(False)),
    "renew": holding(Renew),
    "report": holding(lambda token: Report(token, Progress("label"))),
    "checkpoint": holding(lambda token: SaveCheckpoint(token, Document(b"state"))),
    "move": holding(lambda token: Move(token, "succeeded")),
    "release": holding(Release),
    "move and go on": move_and_go_on,
}


async def created(services: Services, scope: str, count: int = 1, **said: str) -> list[UUID]:
    new = NewJob(queue=QUEUE, kind="", lifecycle="standard", lifecycle_version=1, labels=(("a", "b"),))
    made = await services.jobs.create(services.caller(scope), [Creation(new, **said)] * count, wants_job=True)
    return [outcome.job_id for outcome in made if isinstance(outcome, CreateOutcome)]


async def leased(services: Services, scope: str, **said: Any) -> Grant:
    await created(services, scope)
    asked = Acquire("me", LEASE, (QUEUE,))
    answer = await services.leases.acquire(services.caller(scope), asked, wait=NOW, **said)
    (grant,) = answer.outcome.grants
    return grant


@pytest.mark.seed_b("B-024", "B-026")
async def test_another_scopes_job_is_as_absent_as_one_that_never_was(
    services: Services, outside: Outside
) -> None:
    grant, absent = await leased(services, THEIRS), uuid4()
    before = await (await outside.execute("SELECT job, xmin FROM job")).fetchall()

    for name, verb in VERBS.items():
        foreign = await refusal(verb(services, grant.job.id, grant.token))
        unknown = await refusal(verb(services, absent, grant.token))

        assert str(foreign).replace(str(grant.job.id), str(absent)) == str(unknown), name
        assert foreign.metadata == {"job_id": str(grant.job.id)}, name
    assert await (await outside.execute("SELECT job, xmin FROM job")).fetchall() == before


async def refusal(call: Awaitable[Any]) -> JobNotFound:
    with pytest.raises(JobNotFound) as refused:
        await call
    return refused.value


@pytest.mark.seed_b("B-025")
async def test_lists_show_ones_own_jobs_only(services: Services) -> None:
    mine, theirs = await created(services, MINE, 3), await created(services, THEIRS, 4)

    for scope, ids in ((MINE, mine), (THEIRS, theirs), ("nobody", [])):
        caller = services.caller(scope)
        page = await services.jobs.list(caller, ANY, before=None, limit=100, full=True)
        labelled = JobFilter(labels=(("a", "b"),))
        found = await services.jobs.list(caller, labelled, before=None, limit=100, full=False)
        assert {record.job.id for record in page.records} == set(ids)
        assert {record.job.id for record in found.records} == set(ids)


async def test_a_page_cannot_be_gone_on_with_from_another_scopes_job(services: Services) -> None:
    mine, theirs = await created(services, MINE, 2), await created(services, THEIRS)

    page = await services.jobs.list(services.caller(MINE), ANY, before=theirs[0], limit=100, full=False)

    assert {record.job.id for record in page.records} <= set(mine)


async def test_queues_of_one_name_are_two(services: Services) -> None:
    await created(services, THEIRS, 2)
    await services.queues.update(services.caller(THEIRS), QUEUE, True, 1)
    (mine,) = await created(services, MINE)

    asked = Acquire("me", LEASE, (QUEUE,), max_leases=10)
    answer = await services.leases.acquire(services.caller(MINE), asked, wait=NOW)

    assert [grant.job.id for grant in answer.outcome.grants] == [mine]
    queue = await services.queues.get(services.caller(MINE), QUEUE)
    assert (queue.paused, queue.max_active, queue.ready, queue.leased) == (False, None, 0, 1)
    listed = await services.queues.list(services.caller("nobody"), after="", limit=10)
    assert listed == []


async def test_keys_and_request_ids_are_ones_own(services: Services) -> None:
    for said in ("idempotency_key", "request_id"):
        ids = [await created(services, scope, 1, **{said: "same"}) for scope in (MINE, THEIRS, MINE, THEIRS)]
        assert ids[0] == ids[2]
        assert ids[1] == ids[3]
        assert ids[0] != ids[1]


async def test_the_same_request_id_leads_to_ones_own_leases(services: Services) -> None:
    theirs = await leased(services, THEIRS, request_id="r")
    mine = await leased(services, MINE, request_id="r")

    asked = Acquire("me", LEASE, (QUEUE,))
    again = await services.leases.acquire(services.caller(MINE), asked, wait=NOW, request_id="r")

    assert [grant.token for grant in again.outcome.grants] == [mine.token]
    assert mine.token != theirs.token


async def test_a_watch_tells_of_ones_own_jobs_only(services: Services) -> None:
    watching = Watching(services.database, services.wakeups)
    seen: list[UUID] = []
    stream = watching.watch(services.caller(MINE), None, None, None)
    await anext(stream)
    theirs = await created(services, THEIRS)
    mine = await created(services, MINE)
    async with asyncio.timeout(5):
        while not seen:
            line = await anext(stream)
            if line.event is not None:
                seen.append(line.event.job_id)

    assert seen == mine != theirs


async def test_a_wait_is_not_woken_by_another_scopes_job(services: Services) -> None:
    asked = Acquire("me", LEASE, (QUEUE,))
    waiting = asyncio.create_task(
        services.leases.acquire(services.caller(MINE), asked, wait=timedelta(seconds=10))
    )
    await asyncio.sleep(0.05)
    flushes = services.flusher.items

    await created(services, THEIRS, 5)
    await asyncio.sleep(0.05)
    assert services.flusher.items == flushes + 5
    (mine,) = await created(services, MINE)

    assert [grant.job.id for grant in (await waiting).outcome.grants] == [mine]


async def test_one_flush_carries_the_calls_of_several_scopes(services: Services) -> None:
    grants = {scope: await leased(services, scope) for scope in (MINE, THEIRS)}
    before = services.flusher.flushes

    outcomes = await asyncio.gather(
        *(services.leases.act(services.caller(s), [(g.job.id, Renew(g.token))]) for s, g in grants.items())
    )

    assert services.flusher.flushes == before + 1
    assert all(isinstance(outcome, JobOutcome) for (outcome,) in outcomes)


async def test_a_busy_scope_does_not_hold_up_another_ones_job(services: Services) -> None:
    busy = [asyncio.create_task(created(services, THEIRS, 200)) for _ in range(20)]
    await asyncio.sleep(0)
    await created(services, MINE)

    assert sum(task.done() for task in busy) <= 5
    await asyncio.gather(*busy)


async def test_keys_of_several_scopes_are_bound_in_one_order(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of arrival, two servers could wait for each other's keys in turn."""
    bound: list[str] = []
    insert_keys = keys.insert_keys

    async def noted(tx: Transaction, scope: str, new: Sequence[JobKey]) -> Any:
        bound.append(scope)
        return await insert_keys(tx, scope, new)

    monkeypatch.setattr(keys, "insert_keys", noted)
    for scopes in (("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")):
        calls = [keyed(scope, f"{scopes}".encode(), services) for scope in scopes]
        await services.flusher.submit(calls)

    assert bound == ["a", "b", "c"] * 3


def keyed(scope: str, key: bytes, services: Services) -> CreateCall:
    new = NewJob(queue=QUEUE, kind="", lifecycle="standard", lifecycle_version=1)
    return CreateCall(scope, services.caller(scope).deadline, new, key_hash=key)


async def test_nothing_granted_in_one_scope_is_seen_in_another(services: Services) -> None:
    grant = await leased(services, THEIRS)
    asked = Acquire("me", LEASE, (QUEUE,), max_leases=10)

    nothing = await services.leases.acquire(services.caller(MINE), asked, wait=NOW)

    assert isinstance(nothing.outcome, AcquireOutcome)
    assert nothing.outcome.grants == []
    assert str(nothing.outcome.reason) == "NO_JOBS"
    assert grant.job.scope == THEIRS
