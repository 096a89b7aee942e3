"""What the tests of the migration job store have in common: a job put into any state."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from tenure import AsyncClient, Grant, Job
from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_document import built_ins

LEASE = 300.0
LIFECYCLES = {found.name: found for found in built_ins()}
DIRECTIONS = ("migration-import", "migration-export")
STATES = tuple(LIFECYCLES["migration-import"].states)
LIVE = tuple(state for state in STATES if not LIFECYCLES["migration-import"].is_terminal(state))
ENDED = tuple(state for state in STATES if state not in LIVE)

Outside = psycopg.AsyncConnection[tuple[object, ...]]
Seeder = Callable[..., Awaitable[Job]]


def lifecycle(direction: str) -> Lifecycle:
    return LIFECYCLES[direction]


async def new_migration(client: AsyncClient, direction: str = "migration-import", key: str = "key") -> Job:
    return (await client.create_job("migrations", lifecycle=direction, idempotency_key=key)).job


async def put(outside: Outside, job: Job, state: str, at: datetime, **columns: Any) -> None:
    """Move the row into a state, whatever edges say, as a database with a past would have it."""
    phase = lifecycle(job.lifecycle).state(state).phase
    values: dict[str, Any] = {"state": state, "phase": phase.value, **columns}
    if phase.terminal:
        values |= {"end_time": at, "ready_seq": None}
    assignments = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in values
    )
    statement = sql.SQL("UPDATE job SET {} WHERE id = %(id)s").format(assignments)
    await outside.execute(statement, {**values, "id": job.id})


async def row(outside: Outside, job_id: str) -> dict[str, Any]:
    """The stored row, tokens and all."""
    cursor = await outside.execute("SELECT * FROM job WHERE id = %s", [job_id])
    found = await cursor.fetchone()
    assert found is not None
    assert cursor.description is not None
    return dict(zip((column.name for column in cursor.description), found, strict=True))


async def lease(client: AsyncClient, job: Job, holder: str = "worker") -> Grant:
    acquired = await client.acquire(holder, job_id=job.id, lease_duration=LEASE)
    assert acquired.grants, acquired.empty_reason
    return acquired.grants[0]
