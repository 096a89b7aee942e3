"""The history of jobs, by job and in the order it was committed."""

from datetime import datetime
from typing import LiteralString, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.store.database import Transaction


class StoredEvent(NamedTuple):
    """One line of a job's history."""

    position: int
    job_id: UUID
    version: int
    step: int
    queue: str
    from_state: str
    to_state: str
    reason: str
    holder: str | None
    fence: int
    attempt: int
    time: datetime


LIST_JOB_EVENTS: LiteralString = """
    SELECT position, job_id, version, step, queue, from_state, to_state, reason, holder, fence, attempt, time
      FROM job_event
     WHERE scope = %(scope)s AND job_id = %(job_id)s AND (version, step) > (%(version)s, %(step)s)
     ORDER BY version, step
     LIMIT %(limit)s
"""


async def list_job_events(
    tx: Transaction, scope: str, job_id: UUID, after: tuple[int, int], limit: int
) -> AsyncCursor[StoredEvent]:
    """A page of one job's history, oldest first, after this version and step."""
    values = {"scope": scope, "job_id": job_id, "version": after[0], "step": after[1], "limit": limit}
    return await tx.send(LIST_JOB_EVENTS, values, args_row(StoredEvent))


class WatchPosition(NamedTuple):
    """A place in a scope's history: everything up to and with this line has been seen."""

    position: int
    job_id: UUID
    version: int
    step: int


# Lines of transactions still open, or begun after one still open, are left for the next reading: only
# below that mark is the order final.
WATCH_EVENTS: LiteralString = """
    SELECT position, job_id, version, step, queue, from_state, to_state, reason, holder, fence, attempt, time
      FROM job_event
     WHERE scope = %(scope)s
       AND position >= %(position)s
       AND (position, job_id, version, step) > (%(position)s, %(last_job)s, %(version)s, %(step)s)
       AND position < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
       AND (%(job_id)s::uuid IS NULL OR job_id = %(job_id)s)
       AND (%(queue)s::text IS NULL OR queue = %(queue)s)
     ORDER BY position, job_id, version, step
     LIMIT %(limit)s
"""


# The planner guesses how far a watch is behind, and would rather sort all that lies before it than walk
# the index. Lasts until what is sent with it has been answered.
WALK_THE_INDEX: LiteralString = """
    SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_sort', 'off', true)
"""


async def watch_events(
    tx: Transaction, scope: str, after: WatchPosition, job_id: UUID | None, queue: str | None, limit: int
) -> AsyncCursor[StoredEvent]:
    """The next lines of a scope's history whose place is final."""
    values = {
        "scope": scope,
        "position": after.position,
        "last_job": after.job_id,
        "version": after.version,
        "step": after.step,
        "job_id": job_id,
        "queue": queue,
        "limit": limit,
    }
    await tx.send(WALK_THE_INDEX)
    return await tx.send(WATCH_EVENTS, values, args_row(StoredEvent))


class WatchEdge(NamedTuple):
    """Between which positions a scope's history is complete."""

    oldest: int
    newest: int


READ_WATCH_EDGE: LiteralString = """
    SELECT coalesce((SELECT position FROM event_horizon WHERE scope = %(scope)s), 0),
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1
"""


async def read_watch_edge(tx: Transaction, scope: str) -> AsyncCursor[WatchEdge]:
    """How far back history reaches, and up to where its order is final."""
    return await tx.send(READ_WATCH_EDGE, {"scope": scope}, args_row(WatchEdge))
