"""One bad item stands alone; a row that moved between lock and save is decided again."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tenure_server.domain.command import Acquire, Move, Renew, Update
from tenure_server.domain.errors import DatabaseUnavailable, JobBusy, OutcomeUnknown, VersionMismatch
from tenure_server.domain.job import Document, NewJob
from tenure_server.service.calls import (
    AcquireCall,
    Call,
    CreateCall,
    CreateOutcome,
    Grant,
    JobCall,
    JobOutcome,
)
from tenure_server.service.flush import Flush
from tenure_server.service.saving import Saving
from tenure_server.store import heads
from tenure_server.store.database import REFUSED, Transaction
from tests.concurrency.history import Outside
from tests.factories import QUEUE
from tests.fixtures.service import Services

LEASE = timedelta(seconds=60)
BUMP = "UPDATE job SET version = version + 1 WHERE scope = %(scope)s AND id = %(id)s"


def creation(content_type: str = "", key: bytes | None = None) -> CreateCall:
    payload = Document(b"work", content_type)
    new = NewJob(queue=QUEUE, kind="", lifecycle="standard", lifecycle_version=1, payload=payload)
    return CreateCall("default", deadline(), new, key_hash=key)


def bad_creation() -> CreateCall:
    """What the edge lets nobody say: the database refuses a NUL in text."""
    return creation("text/\0plain")


def deadline(seconds: float = 10.0) -> float:
    return asyncio.get_running_loop().time() + seconds


def claim(count: int = 1) -> AcquireCall:
    asked = Acquire("me", LEASE, (QUEUE,), max_leases=count)
    return AcquireCall("default", deadline(), asked, (QUEUE,))


async def leased(services: Services, count: int) -> list[Grant]:
    await services.flusher.submit([creation() for _ in range(count)])
    (outcome,) = await services.flusher.submit([claim(count)])
    grants: list[Grant] = list(outcome.grants)
    assert len(grants) == count
    return grants


def renewal(grant: Grant, **said: Any) -> JobCall:
    return JobCall("default", deadline(), grant.job.id, Renew(grant.token), **said)


@pytest.mark.parametrize("place", [0, 7, 15])
async def test_an_item_the_database_refuses_stands_alone(
    services: Services, outside: Outside, place: int
) -> None:
    calls: list[Call] = [creation() for _ in range(16)]
    calls[place] = bad_creation()

    outcomes = await services.flusher.submit(calls)

    refused = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, Exception)]
    assert refused == [place]
    assert isinstance(outcomes[place], REFUSED)
    stored = {row[0] for row in await (await outside.execute("SELECT id FROM job")).fetchall()}
    assert stored == {outcome.job_id for outcome in outcomes if isinstance(outcome, CreateOutcome)}


async def test_bad_items_do_not_hold_up_other_kinds_of_calls(services: Services) -> None:
    grants = await leased(services, 4)
    calls: list[Call] = [
        bad_creation(),
        *(renewal(grant) for grant in grants),
        bad_creation(),
        creation(),
        claim(),
    ]

    outcomes = await services.flusher.submit(calls)

    assert [isinstance(outcome, Exception) for outcome in outcomes] == [
        True,
        *[False] * 4,
        True,
        False,
        False,
    ]


async def test_halving_takes_few_flushes(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = count_flushes(monkeypatch)
    calls: list[Call] = [creation() for _ in range(256)]
    calls[100] = bad_creation()

    await services.flusher.submit(calls)

    assert len(tried) == 1 + 2 * 8


async def test_a_row_that_moved_between_lock_and_save_is_decided_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    (grant,) = await leased(services, 1)
    bump_before_saving(monkeypatch, grant, times=2)
    tried = count_flushes(monkeypatch)

    (outcome,) = await services.flusher.submit([renewal(grant, wants_job=True)])

    assert isinstance(outcome, JobOutcome)
    assert len(tried) == 3


async def test_a_row_that_moves_each_time_is_given_up_after_three(
    services: Services, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes SQL from outside that heeds no lock: all of ours holds the row from lock to commit."""
    (grant,) = await leased(services, 1)
    bump_before_saving(monkeypatch, grant, times=100)
    tried = count_flushes(monkeypatch)
    before = await row_of(outside, grant)

    (outcome,) = await services.flusher.submit([renewal(grant)])

    assert isinstance(outcome, VersionMismatch)
    assert len(tried) == 3
    assert await row_of(outside, grant) == before


async def test_a_row_that_moves_each_time_does_not_fail_the_others_of_its_flush(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    grants = await leased(services, 6)
    bump_before_saving(monkeypatch, grants[2], times=1000)

    outcomes = await services.flusher.submit([*(renewal(grant) for grant in grants), creation()])

    assert [isinstance(outcome, VersionMismatch) for outcome in outcomes] == [n == 2 for n in range(7)]


async def test_a_key_that_someone_else_is_inserting_holds_up_no_renewals(
    services: Services, outside: Outside
) -> None:
    grants = await leased(services, 4)
    async with outside.transaction():
        await outside.execute(
            "INSERT INTO job_key VALUES ('default', %s, %s, %s)", [b"key", grants[0].job.id, b"f"]
        )
        calls = [creation(key=b"key"), *(renewal(grant) for grant in grants), creation(), creation(key=b"k2")]
        outcomes = await services.flusher.submit(calls)

    assert [isinstance(outcome, JobBusy) for outcome in outcomes] == [True, *[False] * 6]
    assert not any(isinstance(outcome, Exception) for outcome in outcomes[1:])


async def test_what_could_not_be_committed_changed_nothing(
    services: Services, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    (grant,) = await leased(services, 1)
    before = await row_of(outside, grant)
    lose_connection(monkeypatch, outside, Saving, "send")

    (outcome,) = await services.flusher.submit([renewal(grant)])
    monkeypatch.undo()

    assert isinstance(outcome, DatabaseUnavailable)
    assert await row_of(outside, grant) == before
    assert isinstance((await services.flusher.submit([renewal(grant)]))[0], JobOutcome)


async def test_a_connection_lost_at_the_commit_leaves_the_outcome_unknown(
    services: Services, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    (grant,) = await leased(services, 1)
    lose_connection(monkeypatch, outside, heads, "commit")
    moved = Move(grant.token, "succeeded")

    (outcome,) = await services.flusher.submit([JobCall("default", deadline(), grant.job.id, moved)])
    monkeypatch.undo()

    assert isinstance(outcome, OutcomeUnknown)
    (again,) = await services.flusher.submit([JobCall("default", deadline(), grant.job.id, moved)])
    assert isinstance(again, JobOutcome)


async def test_a_caller_that_has_gone_does_not_stop_its_command(services: Services, outside: Outside) -> None:
    going = asyncio.create_task(services.flusher.submit([creation(), creation()]))
    await asyncio.sleep(0)
    going.cancel()

    await services.flusher.submit([creation()])

    (count,) = await (await outside.execute("SELECT count(*) FROM job")).fetchall()
    assert count == (3,)


async def test_commands_for_a_busy_row_go_on_in_order_once_it_is_free(
    services: Services, outside: Outside
) -> None:
    (grant,) = await leased(services, 1)
    async with outside.transaction():
        await outside.execute("SELECT FROM job FOR UPDATE")
        replies = [
            services.flusher.send(
                [JobCall("default", deadline(), grant.job.id, Update(priority=p, pinned=True))]
            )
            for p in (1, 2, 3)
        ]
        replies.append(
            services.flusher.send([JobCall("default", deadline(0.12), grant.job.id, Renew(grant.token))])
        )
        (late,) = await replies[-1].future
        assert isinstance(late, JobBusy)
        assert not any(reply.future.done() for reply in replies[:-1])

    for reply in replies[:-1]:
        await asyncio.wait_for(reply.future, 5)


async def row_of(outside: Outside, grant: Grant) -> Any:
    cursor = await outside.execute("SELECT to_jsonb(job) FROM job WHERE id = %s", [grant.job.id])
    return await cursor.fetchone()


def count_flushes(monkeypatch: pytest.MonkeyPatch) -> list[Flush]:
    """Gathers every flush that is tried from now on."""
    tried: list[Flush] = []
    carry_out = Flush.carry_out

    async def counted(self: Flush, tx: Transaction, now: Any) -> None:
        tried.append(self)
        await carry_out(self, tx, now)

    monkeypatch.setattr(Flush, "carry_out", counted)
    return tried


def bump_before_saving(monkeypatch: pytest.MonkeyPatch, grant: Grant, times: int) -> None:
    """Someone raises the row's version just before it is saved, as often as that."""
    send = Saving.send
    left = iter(range(times))

    async def bumped(self: Saving, tx: Transaction) -> None:
        if grant.job.id in self.touched and next(left, None) is not None:
            await tx.send(BUMP, {"scope": self.scope, "id": grant.job.id})
        await send(self, tx)

    monkeypatch.setattr(Saving, "send", bumped)


def lose_connection(monkeypatch: pytest.MonkeyPatch, outside: Outside, where: Any, name: str) -> None:
    """The flusher's backend dies just before a step."""
    original: Callable[..., Any] = getattr(where, name)

    async def lost(*arguments: Any) -> None:
        (tx,) = (argument for argument in arguments if isinstance(argument, Transaction))
        pid = tx._connection.info.backend_pid
        await outside.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])
        await original(*arguments)

    monkeypatch.setattr(where, name, lost)
