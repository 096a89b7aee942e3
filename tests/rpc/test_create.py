"""Creating jobs: once however often it is asked for."""

import asyncio
from datetime import timedelta

import pytest

from tenure import AsyncClient, Failure, NewJob, Phase, RetryPolicy, errors
from tests.factories import QUEUE, acquire_one, new_job
from tests.fixtures.server import Server


async def test_a_job_is_what_its_creator_said(client: AsyncClient, server: Server) -> None:
    created = await client.create_job(
        QUEUE,
        kind="resize",
        payload={"width": 10},
        labels={"tier": "gold"},
        priority=-5,
        retry=RetryPolicy(max_attempts=3, initial_delay=2, max_delay=60, multiplier=3),
        expire_time=server.clock.now + timedelta(hours=1),
    )

    job = await client.get_job(created.job.id)
    assert created.created
    assert (job.queue, job.kind, job.state, job.phase) == (QUEUE, "resize", "pending", Phase.WAITING)
    assert (job.attempt, job.version, job.fence, job.priority) == (1, 0, 0, -5)
    assert job.payload is not None
    assert (job.payload.content, job.payload.content_type) == (b'{"width":10}', "application/json")
    assert job.labels == {"tier": "gold"}
    assert job.retry is not None
    assert (job.retry.max_attempts, job.retry.multiplier) == (3, 3)
    assert job.create_time == job.update_time == server.clock.now
    assert job.expire_time == server.clock.now + timedelta(hours=1)
    assert (job.lease, job.start_time, job.end_time, job.error, job.result) == (None,) * 5


async def test_the_same_key_and_request_again_is_the_same_job(client: AsyncClient) -> None:
    first = await client.create_job(QUEUE, payload=b"x", idempotency_key="k")
    grant = await acquire_one(client)
    again = await client.create_job(QUEUE, payload=b"x", idempotency_key="k")

    assert not again.created
    assert again.job.id == first.job.id == grant.job.id
    assert again.job.state == "running"


@pytest.mark.parametrize(
    "other",
    [
        {"payload": b"y"},
        {"kind": "other"},
        {"queue": "other"},
        {"labels": {"a": "b"}},
        {"priority": 1},
        {"content_type": "text/plain"},
        {"retry": RetryPolicy(max_attempts=2)},
    ],
)
async def test_the_same_key_for_something_else_is_refused(
    client: AsyncClient, other: dict[str, object]
) -> None:
    first = await new_job(client, payload=b"x", idempotency_key="k")

    with pytest.raises(errors.IdempotencyKeyReused) as refused:
        await new_job(client, **{"payload": b"x", "idempotency_key": "k", **other})

    assert refused.value.metadata["job_id"] == first.id
    assert len([job async for job in client.list_jobs()]) == 1


async def test_labels_in_another_order_are_the_same_request(client: AsyncClient) -> None:
    first = await client.create_job(QUEUE, labels={"a": "1", "b": "2"}, idempotency_key="k")
    again = await client.create_job(QUEUE, labels={"b": "2", "a": "1"}, idempotency_key="k")

    assert (again.created, again.job.id) == (False, first.job.id)


async def test_a_request_id_makes_a_creation_without_key_safe_to_repeat(client: AsyncClient) -> None:
    first = await client.create_job(QUEUE, request_id="r")
    again = await client.create_job(QUEUE, request_id="r")
    other = await client.create_job(QUEUE, request_id="r2")

    assert (first.created, again.created, other.created) == (True, False, True)
    assert first.job.id == again.job.id != other.job.id


async def test_a_request_id_of_another_call_is_refused(client: AsyncClient) -> None:
    job = await new_job(client)
    await client.cancel(job.id, request_id="r")

    with pytest.raises(errors.RequestIdReused):
        await client.create_job(QUEUE, request_id="r")


async def test_many_creators_with_one_key_make_one_job(server: Server, second_server: Server) -> None:
    async with AsyncClient(server.target) as one, AsyncClient(second_server.target) as two:
        asked = [(one, two)[i % 2].create_job(QUEUE, idempotency_key="k") for i in range(64)]
        created = await asyncio.gather(*asked)

    assert len({found.job.id for found in created}) == 1
    assert sum(found.created for found in created) == 1


async def test_one_odd_item_hurts_no_other_of_its_batch(client: AsyncClient) -> None:
    jobs = [
        NewJob(queue=QUEUE, payload=b"good"),
        NewJob(queue="not a name"),
        NewJob(queue=QUEUE, payload=b"z" * (1024 * 1024 + 1)),
        NewJob(queue=QUEUE, lifecycle="unheard-of"),
        NewJob(queue=QUEUE, idempotency_key="k"),
    ]
    good, name, size, lifecycle, keyed = await client.create_jobs(jobs)

    assert not isinstance(good, errors.TenureError)
    assert not isinstance(keyed, errors.TenureError)
    assert isinstance(name, errors.InvalidField)
    assert isinstance(size, errors.InvalidField)
    assert isinstance(lifecycle, errors.LifecycleNotFound)
    assert "queue" in name.metadata["field"]
    assert "payload" in size.metadata["field"]
    assert len([job async for job in client.list_jobs()]) == 2


async def test_keys_are_kept_exactly(client: AsyncClient) -> None:
    keys = ["k", "K", " k", "k ", "é", "e\u0301", "\U0001f600", "\u202ertl"]
    ids = {(await new_job(client, idempotency_key=key)).id for key in keys}

    assert len(ids) == len(keys)


async def test_payload_bytes_come_back_as_they_were(client: AsyncClient) -> None:
    odd = bytes(range(256))
    await new_job(client, payload=odd)

    grant = await acquire_one(client)

    assert grant.job.payload is not None
    assert grant.job.payload.content == odd


async def test_a_failure_may_say_anything_that_is_text(client: AsyncClient) -> None:
    await new_job(client)
    grant = await acquire_one(client)
    said = Failure("böse", "日本語\n\x1b[31m", retryable=False, details={"ключ": "значение"})

    await client.transition(grant, "failed", error=said)

    assert (await client.get_job(grant.job_id)).error == said


async def test_a_lifecycle_may_ask_for_a_key_and_give_a_deadline(client: AsyncClient, server: Server) -> None:
    with pytest.raises(errors.InvalidField) as missing:
        await new_job(client, lifecycle="migration-import")
    with pytest.raises(errors.InvalidField):
        await new_job(client, lifecycle="migration-import", idempotency_key="k" * 129)
    with pytest.raises(errors.InvalidField):
        await new_job(client, lifecycle="build-publish", idempotency_key="k")

    job = await new_job(client, lifecycle="migration-import", idempotency_key="k" * 128)

    assert missing.value.metadata["field"] == "idempotency_key"
    assert job.expire_time == server.clock.now + timedelta(hours=24)
    assert (await client.acquire("me", job_id=job.id)).grants[0].ttl == 300


async def test_a_lifecycle_says_what_its_fingerprint_covers(client: AsyncClient) -> None:
    first = await client.create_job(lifecycle="migration-import", idempotency_key="k", payload=b"a")
    again = await client.create_job(lifecycle="migration-import", idempotency_key="k", payload=b"b")

    assert (again.created, again.job.id) == (False, first.job.id)
    with pytest.raises(errors.IdempotencyKeyReused):
        await client.create_job(lifecycle="migration-export", idempotency_key="k", payload=b"a")
