"""What sweeps look for. Candidates are read without locks, across scopes; each is judged again later."""

from datetime import datetime, timedelta
from typing import LiteralString, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.store.database import Transaction


class Candidate(NamedTuple):
    """A job a sweep should look at, and the time by which it was found."""

    scope: str
    id: UUID
    time: datetime


LEASES_TO_CHECK: LiteralString = """
    SELECT scope, id, lease_check_time FROM job
     WHERE lease_check_time <= coalesce(%(now)s::timestamptz, clock_timestamp())
       AND (lease_check_time, id) > (%(time)s, %(id)s)
     ORDER BY lease_check_time, id
     LIMIT %(limit)s
"""

DUE_JOBS: LiteralString = """
    SELECT scope, id, schedule_time FROM job
     WHERE schedule_time <= coalesce(%(now)s::timestamptz, clock_timestamp())
       AND (schedule_time, id) > (%(time)s, %(id)s)
     ORDER BY schedule_time, id
     LIMIT %(limit)s
"""

LATE_JOBS: LiteralString = """
    SELECT scope, id, expire_time FROM job
     WHERE expire_time <= coalesce(%(now)s::timestamptz, clock_timestamp()) AND end_time IS NULL
       AND (expire_time, id) > (%(time)s, %(id)s)
     ORDER BY expire_time, id
     LIMIT %(limit)s
"""


async def find_candidates(
    tx: Transaction,
    statement: LiteralString,
    *,
    now: datetime | None,
    after: tuple[datetime, UUID],
    limit: int,
) -> AsyncCursor[Candidate]:
    """A page of what a sweep looks for, oldest first, after the last one of the page before."""
    values = {"now": now, "time": after[0], "id": after[1], "limit": limit}
    return await tx.send(statement, values, args_row(Candidate))


NEXT_DUE: LiteralString = """
    SELECT min(schedule_time) - coalesce(%(now)s::timestamptz, clock_timestamp())
      FROM job
     WHERE schedule_time IS NOT NULL
       AND (%(overdue)s OR schedule_time > coalesce(%(now)s::timestamptz, clock_timestamp()))
"""


async def time_to_next_due(
    tx: Transaction, now: datetime | None, *, overdue: bool
) -> AsyncCursor[tuple[timedelta | None]]:
    """How long until the next scheduled job is due, negative for one that is `overdue`; None for none."""
    return await tx.send(NEXT_DUE, {"now": now, "overdue": overdue})


class Prunable(NamedTuple):
    """An ended job that a pruning pass came by."""

    scope: str
    id: UUID
    prunable: bool


# Walks the key; jobs created after the cutoff cannot have ended before it, so the walk ends there.
SCAN_FOR_PRUNING: LiteralString = """
    SELECT scope, id, end_time IS NOT NULL AND end_time <= %(cutoff)s AND NOT pinned
      FROM job
     WHERE (scope, id) > (%(scope)s, %(id)s)
     ORDER BY scope, id
     LIMIT %(limit)s
"""


async def scan_for_pruning(
    tx: Transaction, after: tuple[str, UUID], cutoff: datetime, limit: int
) -> AsyncCursor[Prunable]:
    """The next jobs in key order, and whether each ended before the cutoff and is not pinned."""
    values = {"scope": after[0], "id": after[1], "cutoff": cutoff, "limit": limit}
    return await tx.send(SCAN_FOR_PRUNING, values, args_row(Prunable))


LOCK_PRUNABLE: LiteralString = """
    SELECT id FROM job
     WHERE scope = %(scope)s AND id = ANY(%(ids)s)
       AND end_time IS NOT NULL AND end_time <= %(cutoff)s AND NOT pinned
       FOR UPDATE SKIP LOCKED
"""


async def lock_prunable(
    tx: Transaction, scope: str, ids: list[UUID], cutoff: datetime
) -> AsyncCursor[tuple[UUID]]:
    """Lock those of these jobs that may still be pruned."""
    return await tx.send(LOCK_PRUNABLE, {"scope": scope, "ids": ids, "cutoff": cutoff})


REMOVE_JOBS: LiteralString = """
    WITH keys AS (DELETE FROM job_key WHERE scope = %(scope)s AND job_id = ANY(%(ids)s)),
         documents AS (DELETE FROM job_document WHERE scope = %(scope)s AND job_id = ANY(%(ids)s)),
         facets AS (DELETE FROM job_facet WHERE scope = %(scope)s AND job_id = ANY(%(ids)s)),
         events AS (DELETE FROM job_event WHERE scope = %(scope)s AND job_id = ANY(%(ids)s)
                    RETURNING position),
         horizon AS (INSERT INTO event_horizon AS known (scope, position)
                     SELECT %(scope)s, max(position) FROM events HAVING count(*) > 0
                     ON CONFLICT (scope) DO UPDATE
                        SET position = greatest(known.position, excluded.position))
    DELETE FROM job WHERE scope = %(scope)s AND id = ANY(%(ids)s)
"""


async def remove_jobs(tx: Transaction, scope: str, ids: list[UUID]) -> None:
    """Remove jobs with everything kept beside them, and free their keys."""
    await tx.send(REMOVE_JOBS, {"scope": scope, "ids": ids})
