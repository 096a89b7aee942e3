"""The first step of every write: lock the rows named, then read the clock."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import RowMaker

from tenure_server.domain.job import JobHead
from tenure_server.store.arrays import uuids
from tenure_server.store.database import Transaction

# What another transaction has locked is left out: nobody ever waits for a row lock.
LOCK_JOBS: LiteralString = """
    SELECT id, queue, lifecycle, lifecycle_version, state, priority, ready_seq, schedule_time,
           attempt, max_attempts, retry_initial_delay, retry_max_delay, retry_multiplier,
           version, fence, lease_token, lease_holder, lease_expire_time, lease_duration,
           lease_target, directive, cancel_reason, expire_time, deleted_time
      FROM job
     WHERE scope = %(scope)s AND id = ANY(%(ids)s)
       FOR UPDATE SKIP LOCKED
"""


async def lock_jobs(tx: Transaction, scope: str, ids: Sequence[UUID]) -> AsyncCursor[JobHead]:
    """Lock these jobs and return their heads; those absent or locked by others are left out."""
    return await tx.send(LOCK_JOBS, {"scope": scope, "ids": uuids(ids)}, head_rows)


def head_rows(cursor: AsyncCursor[Any]) -> RowMaker[JobHead]:
    """Rows as heads; faster by position than as arguments."""
    return JobHead._make


FIND_JOBS: LiteralString = """
    SELECT id FROM job WHERE scope = %(scope)s AND id = ANY(%(ids)s)
"""


async def find_jobs(tx: Transaction, scope: str, ids: Sequence[UUID]) -> AsyncCursor[tuple[UUID]]:
    """Which of these jobs exist, locked or not."""
    return await tx.send(FIND_JOBS, {"scope": scope, "ids": uuids(ids)})


# Last in the lock step, so that the time is that of holding every lock. now() would be the start of
# the transaction.
READ_CLOCK: LiteralString = "SELECT coalesce(%(now)s::timestamptz, clock_timestamp())"


async def read_clock(tx: Transaction, now: datetime | None) -> AsyncCursor[tuple[datetime]]:
    """The database's clock, read once for the whole transaction; `now` replaces it in tests."""
    return await tx.send(READ_CLOCK, {"now": now})


COMMIT_SOON: LiteralString = "SET LOCAL synchronous_commit = off"


async def commit_soon(tx: Transaction) -> None:
    """Let the commit return before the disk has it: for progress reports only."""
    await tx.send(COMMIT_SOON)


COMMIT: LiteralString = "COMMIT"


async def commit(tx: Transaction) -> None:
    """Make the transaction durable."""
    await tx.send(COMMIT)
