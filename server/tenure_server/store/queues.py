"""Queues: their settings and what lies in them."""

from datetime import datetime
from typing import LiteralString, NamedTuple

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.store.database import Transaction


class StoredQueue(NamedTuple):
    """A queue's settings and how many of its jobs are ready and leased, counted up to a bound."""

    name: str
    paused: bool
    max_active: int | None
    update_time: datetime | None
    ready: int
    leased: int


# Names come from the settings, from walking the ready index queue by queue, and from live leases.
LIST_QUEUES: LiteralString = """
    WITH RECURSIVE waiting(name) AS (
        (SELECT queue FROM job
          WHERE scope = %(scope)s AND ready_seq IS NOT NULL AND queue > %(after)s
          ORDER BY queue LIMIT 1)
        UNION ALL
        SELECT (SELECT queue FROM job
                 WHERE scope = %(scope)s AND ready_seq IS NOT NULL AND queue > waiting.name
                 ORDER BY queue LIMIT 1)
          FROM waiting WHERE waiting.name IS NOT NULL
    ), known(name) AS (
        SELECT name FROM waiting WHERE name IS NOT NULL
        UNION SELECT name FROM queue WHERE scope = %(scope)s AND name > %(after)s
        UNION SELECT queue FROM job
               WHERE lease_check_time IS NOT NULL AND scope = %(scope)s AND queue > %(after)s
        UNION SELECT %(only)s::text WHERE %(only)s::text IS NOT NULL
    )
    SELECT known.name, coalesce(queue.paused, false), queue.max_active, queue.update_time,
           (SELECT count(*) FROM (
                SELECT FROM job WHERE job.scope = %(scope)s AND job.queue = known.name
                   AND job.ready_seq IS NOT NULL LIMIT %(count_limit)s) AS counted),
           (SELECT count(*) FROM (
                SELECT FROM job WHERE job.lease_check_time IS NOT NULL AND job.scope = %(scope)s
                   AND job.queue = known.name LIMIT %(count_limit)s) AS counted)
      FROM known LEFT JOIN queue ON queue.scope = %(scope)s AND queue.name = known.name
     WHERE %(only)s::text IS NULL OR known.name = %(only)s
     ORDER BY known.name
     LIMIT %(limit)s
"""

COUNT_LIMIT = 100_000


async def list_queues(
    tx: Transaction, scope: str, *, after: str = "", only: str | None = None, limit: int = 1
) -> AsyncCursor[StoredQueue]:
    """A page of a scope's queues by name, or one queue whether or not anyone has named it."""
    values = {
        "scope": scope,
        "after": after,
        "only": only,
        "limit": limit,
        "count_limit": COUNT_LIMIT,
    }
    return await tx.send(LIST_QUEUES, values, args_row(StoredQueue))


# Waits until every claim that shares the queue has ended; lock_timeout bounds it.
TAKE_QUEUE: LiteralString = """
    SELECT pg_advisory_xact_lock(hashtextextended(%(scope)s || E'\\x1f' || %(name)s, 1))
"""


async def take_queue(tx: Transaction, scope: str, name: str) -> None:
    """Keep claims off this queue until the transaction ends."""
    await tx.send(TAKE_QUEUE, {"scope": scope, "name": name})


UPDATE_QUEUE: LiteralString = """
    INSERT INTO queue AS q (scope, name, paused, max_active, update_time)
    VALUES (%(scope)s, %(name)s, coalesce(%(paused)s, false), nullif(%(max_active)s, 0),
            coalesce(%(now)s::timestamptz, clock_timestamp()))
    ON CONFLICT (scope, name) DO UPDATE
       SET paused = coalesce(%(paused)s, q.paused),
           max_active = CASE WHEN %(max_active)s::integer IS NULL THEN q.max_active
                             ELSE nullif(%(max_active)s, 0) END,
           update_time = excluded.update_time
"""


async def update_queue(
    tx: Transaction, scope: str, name: str, paused: bool | None, max_active: int | None, now: datetime | None
) -> None:
    """Set what is not None; a `max_active` of 0 lifts the bound."""
    values = {"scope": scope, "name": name, "paused": paused, "max_active": max_active, "now": now}
    await tx.send(UPDATE_QUEUE, values)


class Outlook(NamedTuple):
    """What a worker that got nothing can expect of a queue."""

    ready: bool
    next_time: datetime | None
    at: datetime


# Bounded: looks at the soonest thousand of all scheduled jobs.
READ_OUTLOOK: LiteralString = """
    SELECT EXISTS (
               SELECT FROM unnest(%(names)s::text[]) AS asked(name),
                           LATERAL (SELECT FROM job
                                     WHERE scope = %(scope)s AND queue = asked.name AND ready_seq IS NOT NULL
                                     ORDER BY priority, ready_seq LIMIT 1) AS first),
           (SELECT min(schedule_time)
              FROM (SELECT scope, queue, schedule_time FROM job
                     WHERE schedule_time IS NOT NULL ORDER BY schedule_time LIMIT 1000) AS soon
             WHERE soon.scope = %(scope)s AND soon.queue = ANY(%(names)s)),
           coalesce(%(now)s::timestamptz, clock_timestamp())
"""


async def read_outlook(
    tx: Transaction, scope: str, names: list[str], now: datetime | None
) -> AsyncCursor[Outlook]:
    """Whether these queues have ready jobs, and when the next scheduled one is due."""
    return await tx.send(READ_OUTLOOK, {"scope": scope, "names": names, "now": now}, args_row(Outlook))
