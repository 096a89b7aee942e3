"""The few values that tests make over and over; each names only what matters to it."""

from typing import Any

from tenure import AsyncClient, Grant, Job, RetryPolicy

QUEUE = "queue"
HOLDER = "worker-a"
LEASE = 30.0


async def new_job(client: AsyncClient, **fields: Any) -> Job:
    """A job in the test's queue."""
    if attempts := fields.pop("retry_attempts", 0):
        fields["retry"] = RetryPolicy(max_attempts=attempts)
    created = await client.create_job(fields.pop("queue", QUEUE), **fields)
    return created.job


async def acquire_one(client: AsyncClient, job: Job | None = None, **fields: Any) -> Grant:
    """A lease of this job, or of the next one of the test's queue."""
    fields.setdefault("lease_duration", LEASE)
    wanted = {"queues": [QUEUE]} if job is None else {"job_id": job.id}
    acquired = await client.acquire(fields.pop("holder", HOLDER), **wanted, **fields)
    assert acquired.grants, acquired.empty_reason
    return acquired.grants[0]


async def leased_job(client: AsyncClient, **fields: Any) -> Grant:
    """A new job and the lease of it."""
    return await acquire_one(client, await new_job(client, **fields))
