"""Which ready jobs are next, and whether their queues may hand them out."""

from collections.abc import Sequence
from typing import LiteralString, NamedTuple

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.domain.job import JobHead
from tenure_server.store.database import Transaction
from tenure_server.store.heads import head_rows
from tenure_server.store.jsonb import as_jsonb

# A plain top-level SELECT: inside another statement the planner may run the LIMIT twice.
LOCK_READY_JOBS: LiteralString = """
    SELECT id, queue, lifecycle, lifecycle_version, state, priority, ready_seq, schedule_time,
           attempt, max_attempts, retry_initial_delay, retry_max_delay, retry_multiplier,
           version, fence, lease_token, lease_holder, lease_expire_time, lease_duration,
           lease_target, directive, cancel_reason, expire_time, deleted_time
      FROM job
     WHERE scope = %(scope)s AND queue = %(queue)s AND ready_seq IS NOT NULL
       AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s))
       AND (%(states)s::text[] IS NULL OR state = ANY(%(states)s))
       AND (%(labels)s::jsonb IS NULL OR EXISTS (
            SELECT FROM job_facet AS facet
             WHERE facet.scope = %(scope)s AND facet.job_id = job.id AND facet.labels @> %(labels)s))
       AND NOT EXISTS (
            SELECT FROM queue
             WHERE queue.scope = %(scope)s AND queue.name = %(queue)s
               AND (queue.paused OR (queue.max_active IS NOT NULL AND NOT %(counted)s)))
     ORDER BY priority, ready_seq
     LIMIT %(limit)s
       FOR UPDATE OF job SKIP LOCKED
"""


class ReadyFilter(NamedTuple):
    """Which ready jobs of a queue are wanted; empty means any."""

    queue: str
    kinds: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()


async def lock_ready_jobs(
    tx: Transaction, scope: str, wanted: ReadyFilter, limit: int, *, counted: bool
) -> AsyncCursor[JobHead]:
    """Lock up to `limit` ready jobs of one queue, most urgent first.

    A queue with a bound gives nothing unless the caller has locked it and `counted` what is active.
    """
    values = {
        "scope": scope,
        "queue": wanted.queue,
        "kinds": list(wanted.kinds) or None,
        "states": list(wanted.states) or None,
        "labels": as_jsonb(dict(wanted.labels)) if wanted.labels else None,
        "limit": limit,
        "counted": counted,
    }
    return await tx.send(LOCK_READY_JOBS, values, head_rows)


class SharedQueue(NamedTuple):
    """A queue shared by a claim. `has_settings` may be out of date: it only says where to look closer."""

    name: str
    shared: bool
    has_settings: bool


# Shared by all claims; UpdateQueue takes it alone, so that nothing is granted after its reply. What is
# read here may be older than the lock, so the claim itself, a statement later, heeds the settings.
SHARE_QUEUES: LiteralString = """
    SELECT name, pg_try_advisory_xact_lock_shared(hashtextextended(%(scope)s || E'\\x1f' || name, 1)),
           EXISTS (SELECT FROM queue
                    WHERE queue.scope = %(scope)s AND queue.name = asked.name
                      AND (queue.paused OR queue.max_active IS NOT NULL))
      FROM unnest(%(names)s::text[]) AS asked(name)
"""


async def share_queues(tx: Transaction, scope: str, names: Sequence[str]) -> AsyncCursor[SharedQueue]:
    """Keep these queues' settings from changing; not shared where they are being changed right now."""
    return await tx.send(SHARE_QUEUES, {"scope": scope, "names": list(names)}, args_row(SharedQueue))


# Only queues with a bound are locked; all others are never touched by a claim.
LOCK_BOUNDED_QUEUES: LiteralString = """
    SELECT name FROM queue
     WHERE scope = %(scope)s AND name = ANY(%(names)s) AND max_active IS NOT NULL
     ORDER BY name
       FOR UPDATE SKIP LOCKED
"""


async def lock_bounded_queues(tx: Transaction, scope: str, names: Sequence[str]) -> AsyncCursor[tuple[str]]:
    """Lock those of these queues that have a bound; one locked by another server is left out."""
    return await tx.send(LOCK_BOUNDED_QUEUES, {"scope": scope, "names": list(names)})


class QueueState(NamedTuple):
    """What a claim must heed; `active` is counted only where there is a bound."""

    name: str
    paused: bool
    max_active: int | None
    active: int | None


# A statement of its own after the locks, so that it sees what their last owner committed.
READ_QUEUES: LiteralString = """
    SELECT name, paused, max_active,
           CASE WHEN max_active IS NOT NULL THEN (
               SELECT count(*) FROM job
                WHERE job.lease_check_time IS NOT NULL
                  AND job.scope = %(scope)s AND job.queue = queue.name) END
      FROM queue
     WHERE scope = %(scope)s AND name = ANY(%(names)s)
"""


async def read_queues(tx: Transaction, scope: str, names: Sequence[str]) -> AsyncCursor[QueueState]:
    """The settings of those of these queues that have any."""
    return await tx.send(READ_QUEUES, {"scope": scope, "names": list(names)}, args_row(QueueState))
