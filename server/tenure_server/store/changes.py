"""The last step of every write: save equal changes together, with their history."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import RowMaker

from tenure_server.domain.change import KEEP, Change, LeaseChange, ProgressChange, ReadyChange
from tenure_server.domain.job import Job
from tenure_server.domain.progress import Progress
from tenure_server.store.arrays import Array, bigints, byteas, integers, texts, times, uuids
from tenure_server.store.database import Row, Transaction, compact
from tenure_server.store.jobs import StoredJob

# Sets parameters only, never a volatile function, and finds rows by key and version alone: with a
# state in the WHERE the planner may walk a partial index instead of the key. All ids stand there once
# more as an array: before the first ANALYZE it would else read the whole scope for every id.

SAVE: LiteralString = """
    WITH saved AS (
        UPDATE job SET
            state = %(state)s,
            phase = %(phase)s,
            version = job.version + %(counted)s,
            update_time = CASE WHEN %(counted)s = 0 THEN job.update_time ELSE %(at)s END,
            attempt = job.attempt + %(attempts)s,
            fence = job.fence + %(granted)s,
            lease_token = CASE %(lease)s
                WHEN 'GRANT' THEN change.token WHEN 'FORGET' THEN NULL ELSE job.lease_token END,
            lease_holder = CASE %(lease)s
                WHEN 'GRANT' THEN change.holder WHEN 'DROP' THEN NULL WHEN 'FORGET' THEN NULL
                ELSE job.lease_holder END,
            lease_expire_time = CASE %(lease)s
                WHEN 'GRANT' THEN %(lease_expire_time)s WHEN 'EXTEND' THEN %(lease_expire_time)s
                WHEN 'DROP' THEN NULL WHEN 'FORGET' THEN NULL ELSE job.lease_expire_time END,
            lease_duration = CASE %(lease)s
                WHEN 'GRANT' THEN %(lease_duration)s WHEN 'EXTEND' THEN %(lease_duration)s
                ELSE job.lease_duration END,
            lease_check_time = CASE %(lease)s
                WHEN 'GRANT' THEN %(lease_expire_time)s WHEN 'RECHECK' THEN %(lease_expire_time)s
                WHEN 'DROP' THEN NULL WHEN 'FORGET' THEN NULL ELSE job.lease_check_time END,
            lease_target = CASE WHEN %(set_lease_target)s THEN %(lease_target)s ELSE job.lease_target END,
            heartbeat_time = CASE WHEN %(heartbeat)s THEN %(at)s WHEN %(lease)s = 'FORGET' THEN NULL
                ELSE job.heartbeat_time END,
            ready_seq = CASE %(ready)s WHEN 'DRAW' THEN change.ready_seq WHEN 'LEAVE' THEN NULL
                ELSE job.ready_seq END,
            schedule_time = CASE WHEN %(set_schedule_time)s THEN %(schedule_time)s ELSE job.schedule_time END,
            directive = CASE WHEN %(set_directive)s THEN %(directive)s ELSE job.directive END,
            cancel_reason = CASE WHEN %(set_cancel_reason)s THEN %(cancel_reason)s ELSE job.cancel_reason END,
            progress_label = CASE
                WHEN %(label)s::text IS NOT NULL THEN %(label)s
                WHEN %(progress)s = 'REPLACE' THEN change.label
                WHEN %(progress)s = 'CLEAR' THEN NULL ELSE job.progress_label END,
            progress_done = CASE %(progress)s WHEN 'REPLACE' THEN change.done WHEN 'CLEAR' THEN NULL
                WHEN 'FILL' THEN job.progress_total ELSE job.progress_done END,
            progress_total = CASE %(progress)s WHEN 'REPLACE' THEN change.total WHEN 'CLEAR' THEN NULL
                ELSE job.progress_total END,
            progress_message = CASE %(progress)s WHEN 'REPLACE' THEN change.message WHEN 'CLEAR' THEN NULL
                ELSE job.progress_message END,
            phase_index = CASE WHEN %(set_phase_index)s THEN %(phase_index)s ELSE job.phase_index END,
            expire_time = CASE WHEN %(set_expire_time)s THEN %(expire_time)s ELSE job.expire_time END,
            priority = CASE WHEN %(set_priority)s THEN %(priority)s ELSE job.priority END,
            pinned = CASE WHEN %(set_pinned)s THEN %(pinned)s ELSE job.pinned END,
            deleted_time = CASE WHEN NOT %(set_deleted)s THEN job.deleted_time
                WHEN %(deleted)s THEN %(at)s END,
            start_time = CASE WHEN %(starts)s THEN coalesce(job.start_time, %(at)s) ELSE job.start_time END,
            end_time = CASE WHEN NOT %(set_ended)s THEN job.end_time WHEN %(ended)s THEN %(at)s END
        FROM unnest(%(ids)s::uuid[], %(versions)s::bigint[], %(tokens)s::bytea[], %(holders)s::text[],
                    %(ready_seqs)s::bigint[], %(labels)s::text[], %(dones)s::bigint[],
                    %(totals)s::bigint[], %(messages)s::text[])
             AS change(id, version, token, holder, ready_seq, label, done, total, message)
        WHERE job.scope = %(scope)s AND job.id = ANY(%(ids)s)
          AND job.id = change.id AND job.version = change.version
        RETURNING job.*, change.holder AS actor
    ), told AS (
        INSERT INTO job_event (scope, position, job_id, version, step, queue, from_state, to_state,
                               reason, holder, fence, attempt, time)
        SELECT %(scope)s, pg_current_xact_id()::text::bigint, saved.id, saved.version, line.step - 1,
               saved.queue, line.source, line.target, line.reason, saved.actor, saved.fence,
               saved.attempt, %(at)s
          FROM saved, unnest(%(sources)s::text[], %(targets)s::text[], %(reasons)s::text[])
                      WITH ORDINALITY AS line(source, target, reason, step)
    )
"""

SAVE_CHANGES: LiteralString = compact(SAVE, "SELECT count(*) FROM saved")

SAVE_AND_READ: LiteralString = compact(
    SAVE,
    """
    SELECT saved.*, (SELECT labels FROM job_facet AS facet
                      WHERE facet.scope = %(scope)s AND facet.job_id = saved.id)
      FROM saved
    """,
)


class Item(NamedTuple):
    """What is one job's own in a change that it shares with others."""

    id: UUID
    version: int
    token: bytes | None = None
    holder: str | None = None
    ready_seq: int | None = None
    progress: Progress | None = None


async def save_changes(
    tx: Transaction, scope: str, change: Change, items: Sequence[Item], at: datetime
) -> AsyncCursor[tuple[int]]:
    """Save one change of many jobs; returns how many of them were still at their version."""
    values = {**_shared(change), **_own(change, items)}
    values.update(scope=scope, at=at)
    return await tx.send(SAVE_CHANGES, values)


async def save_and_read(
    tx: Transaction, scope: str, change: Change, items: Sequence[Item], at: datetime
) -> AsyncCursor[StoredJob]:
    """Save one change of many jobs; returns those that were still at their version, as they are now."""
    values = {**_shared(change), **_own(change, items)}
    values.update(scope=scope, at=at)
    return await tx.send(SAVE_AND_READ, values, _saved_rows)


def _saved_rows(cursor: AsyncCursor[Any]) -> RowMaker[StoredJob]:
    return _saved


def _saved(columns: Sequence[Row]) -> StoredJob:
    return StoredJob(Job._make(columns[:-2]), columns[-1] or {})


def _shared(change: Change) -> dict[str, Any]:
    values: dict[str, Any] = {
        "state": change.state,
        "phase": change.phase.value,
        "counted": 0 if change.silent else 1,
        "attempts": change.attempts,
        "granted": 1 if change.lease is LeaseChange.GRANT else 0,
        "lease": change.lease.value,
        "lease_duration": change.lease_duration,
        "lease_expire_time": change.lease_expire_time,
        "heartbeat": change.heartbeat,
        "ready": change.ready.value,
        "progress": change.progress.value,
        "label": change.label,
        "starts": change.starts,
        "sources": texts([step.source for step in change.steps]),
        "targets": texts([step.target for step in change.steps]),
        "reasons": texts([step.reason.value for step in change.steps]),
    }
    for name in OPTIONAL:
        wanted = getattr(change, name)
        values["set_" + name] = wanted is not KEEP
        values[name] = None if wanted is KEEP else wanted
    return values


OPTIONAL = (
    "lease_target",
    "schedule_time",
    "directive",
    "cancel_reason",
    "phase_index",
    "expire_time",
    "priority",
    "pinned",
    "deleted",
    "ended",
)


NOTHING = {
    "tokens": byteas(()),
    "holders": texts(()),
    "ready_seqs": bigints(()),
    "labels": texts(()),
    "dones": bigints(()),
    "totals": bigints(()),
    "messages": texts(()),
}


def _own(change: Change, items: Sequence[Item]) -> dict[str, Array]:
    """The arrays; what the change does not need stays empty, and unnest fills it with nulls."""
    values: dict[str, Array] = {
        **NOTHING,
        "ids": uuids([item.id for item in items]),
        "versions": bigints([item.version for item in items]),
    }
    if change.steps:
        values["holders"] = texts([item.holder for item in items])
    if change.lease is LeaseChange.GRANT:
        values["tokens"] = byteas([item.token for item in items])
    if change.ready is ReadyChange.DRAW:
        values["ready_seqs"] = bigints([item.ready_seq for item in items])
    if change.progress is ProgressChange.REPLACE:
        reports = [item.progress or Progress() for item in items]
        values["labels"] = texts([report.label for report in reports])
        values["dones"] = bigints([report.done for report in reports])
        values["totals"] = bigints([report.total for report in reports])
        values["messages"] = texts([report.message for report in reports])
    return values


class Made(NamedTuple):
    """A job to be created, with what differs from the others of its kind."""

    id: UUID
    priority: int
    ready_seq: int | None
    schedule_time: datetime | None
    expire_time: datetime | None


class Mold(NamedTuple):
    """What jobs created together have in common."""

    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    state: str
    phase: str
    max_attempts: int
    retry_initial_delay: Any
    retry_max_delay: Any
    retry_multiplier: float | None


INSERT_JOBS: LiteralString = """
    WITH made AS (
        INSERT INTO job (scope, id, queue, kind, lifecycle, lifecycle_version, state, phase, priority,
                         ready_seq, schedule_time, expire_time, attempt, max_attempts,
                         retry_initial_delay, retry_max_delay, retry_multiplier,
                         version, fence, phase_index, pinned, create_time, update_time)
        SELECT %(scope)s, new.id, %(queue)s, %(kind)s, %(lifecycle)s, %(lifecycle_version)s, %(state)s,
               %(phase)s, new.priority, new.ready_seq, new.schedule_time, new.expire_time, 1,
               %(max_attempts)s, %(retry_initial_delay)s, %(retry_max_delay)s, %(retry_multiplier)s,
               0, 0, 0, false, %(at)s, %(at)s
          FROM unnest(%(ids)s::uuid[], %(priorities)s::integer[], %(ready_seqs)s::bigint[],
                      %(schedule_times)s::timestamptz[], %(expire_times)s::timestamptz[])
               AS new(id, priority, ready_seq, schedule_time, expire_time)
        RETURNING id)
    INSERT INTO job_event (scope, position, job_id, version, step, queue, from_state, to_state, reason,
                           fence, attempt, time)
    SELECT %(scope)s, pg_current_xact_id()::text::bigint, id, 0, 0, %(queue)s, '', %(state)s,
           'CREATED', 0, 1, %(at)s
      FROM made
"""


async def insert_jobs(tx: Transaction, scope: str, mold: Mold, made: Sequence[Made], at: datetime) -> None:
    """Store new jobs and the first line of their history."""
    values = {
        **mold._asdict(),
        "scope": scope,
        "at": at,
        "ids": uuids([job.id for job in made]),
        "priorities": integers([job.priority for job in made]),
        "ready_seqs": bigints([job.ready_seq for job in made]),
        "schedule_times": times([job.schedule_time for job in made]),
        "expire_times": times([job.expire_time for job in made]),
    }
    await tx.send(INSERT_JOBS, values)


# Scheduled anew, not only taken out of the line: a newer server, or a mended row, gets it back there.
SET_ASIDE: LiteralString = """
    UPDATE job SET ready_seq = NULL, schedule_time = %(until)s WHERE scope = %(scope)s AND id = ANY(%(ids)s)
"""


async def set_aside(tx: Transaction, scope: str, ids: Sequence[UUID], until: datetime) -> None:
    """Take jobs that cannot be judged here out of the line of those that may be claimed, for a while."""
    await tx.send(SET_ASIDE, {"scope": scope, "ids": uuids(ids), "until": until})
