"""Reading jobs: one, some, or a page of a scope's."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import RowMaker

from tenure_server.domain.job import Job
from tenure_server.store.arrays import uuids
from tenure_server.store.database import Row, Transaction
from tenure_server.store.jsonb import as_jsonb


class StoredJob(NamedTuple):
    """A job's row and its labels."""

    job: Job
    labels: dict[str, str]


def _stored_rows(cursor: AsyncCursor[Any]) -> RowMaker[StoredJob]:
    return _stored


def _stored(columns: Sequence[Row]) -> StoredJob:
    return StoredJob(Job._make(columns[:-1]), columns[-1] or {})


READ_JOBS: LiteralString = """
    SELECT job.*, (SELECT labels FROM job_facet AS facet
                    WHERE facet.scope = %(scope)s AND facet.job_id = job.id)
      FROM job
     WHERE job.scope = %(scope)s AND job.id = ANY(%(ids)s)
"""


async def read_jobs(tx: Transaction, scope: str, ids: Sequence[UUID]) -> AsyncCursor[StoredJob]:
    """These jobs, in no order; those absent are left out."""
    return await tx.send(READ_JOBS, {"scope": scope, "ids": uuids(ids)}, _stored_rows)


class JobFilter(NamedTuple):
    """Which jobs of a scope; None and empty mean any. `before` is the id after which a page starts."""

    queue: str | None = None
    kind: str | None = None
    lifecycle: str | None = None
    states: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    holder: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None
    pinned: bool | None = None
    deleted: bool | None = False


# Ids are made from the creation time, so the key itself is newest first.
LIST_JOBS: LiteralString = """
    SELECT job.*, facet.labels
      FROM job LEFT JOIN job_facet AS facet ON facet.scope = job.scope AND facet.job_id = job.id
     WHERE job.scope = %(scope)s
       AND (%(before)s::uuid IS NULL OR job.id < %(before)s)
       AND (%(queue)s::text IS NULL OR job.queue = %(queue)s)
       AND (%(kind)s::text IS NULL OR job.kind = %(kind)s)
       AND (%(lifecycle)s::text IS NULL OR job.lifecycle = %(lifecycle)s)
       AND (%(states)s::text[] IS NULL OR job.state = ANY(%(states)s))
       AND (%(phases)s::text[] IS NULL OR job.phase = ANY(%(phases)s))
       AND (%(labels)s::jsonb IS NULL OR facet.labels @> %(labels)s)
       AND (%(holder)s::text IS NULL OR job.lease_holder = %(holder)s)
       AND (%(created_from)s::timestamptz IS NULL OR job.create_time >= %(created_from)s)
       AND (%(created_before)s::timestamptz IS NULL OR job.create_time < %(created_before)s)
       AND (%(pinned)s::boolean IS NULL OR job.pinned = %(pinned)s)
       AND (%(deleted)s::boolean IS NULL OR (job.deleted_time IS NOT NULL) = %(deleted)s)
     ORDER BY job.id DESC
     LIMIT %(limit)s
"""


async def list_jobs(
    tx: Transaction, scope: str, wanted: JobFilter, *, before: UUID | None, limit: int
) -> AsyncCursor[StoredJob]:
    """A page of a scope's jobs, newest first."""
    values = {
        **wanted._asdict(),
        "scope": scope,
        "before": before,
        "limit": limit,
        "states": list(wanted.states) or None,
        "phases": list(wanted.phases) or None,
        "labels": as_jsonb(dict(wanted.labels)) if wanted.labels else None,
    }
    return await tx.send(LIST_JOBS, values, _stored_rows)


FIND_QUEUE: LiteralString = "SELECT queue FROM job WHERE scope = %(scope)s AND id = %(id)s"


async def find_queue(tx: Transaction, scope: str, job_id: UUID) -> AsyncCursor[tuple[str]]:
    """The queue of a job, which never changes; nothing when there is no such job."""
    return await tx.send(FIND_QUEUE, {"scope": scope, "id": job_id})
