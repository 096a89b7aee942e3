"""Idempotency keys and request ids: what a repeated call is recognised by."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import LiteralString, NamedTuple
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.store.arrays import byteas, uuids
from tenure_server.store.database import Row, Transaction


class JobKey(NamedTuple):
    """An idempotency key's hash, the job it leads to and what that job was created from."""

    key_hash: bytes
    job_id: UUID
    fingerprint: bytes


FIND_KEYS: LiteralString = """
    SELECT key_hash, job_id, fingerprint FROM job_key
     WHERE scope = %(scope)s AND key_hash = ANY(%(hashes)s)
"""


async def find_keys(tx: Transaction, scope: str, hashes: Sequence[bytes]) -> AsyncCursor[JobKey]:
    """Which of these keys are known."""
    return await tx.send(FIND_KEYS, {"scope": scope, "hashes": byteas(hashes)}, args_row(JobKey))


# Sorted by the caller: two flushes that insert the same keys cannot deadlock. This is the one place
# where a flush may wait for another server, and lock_timeout bounds it.
INSERT_KEYS: LiteralString = """
    WITH won AS (
        INSERT INTO job_key (scope, key_hash, job_id, fingerprint)
        SELECT %(scope)s, key_hash, job_id, fingerprint
          FROM unnest(%(hashes)s::bytea[], %(ids)s::uuid[], %(fingerprints)s::bytea[])
               AS new(key_hash, job_id, fingerprint)
        ON CONFLICT (scope, key_hash) DO NOTHING
        RETURNING 1)
    SELECT count(*) FROM won
"""


async def insert_keys(tx: Transaction, scope: str, keys: Sequence[JobKey]) -> AsyncCursor[tuple[int]]:
    """Bind keys, given in the order of their hashes; returns how many of them were still free."""
    values = {
        "scope": scope,
        "hashes": byteas([key.key_hash for key in keys]),
        "ids": uuids([key.job_id for key in keys]),
        "fingerprints": byteas([key.fingerprint for key in keys]),
    }
    return await tx.send(INSERT_KEYS, values)


class RequestOutcome(NamedTuple):
    """What a request id led to: the call, and the jobs with the fences they had."""

    request_id: str
    call: str
    job_ids: list[UUID]
    fences: list[int]


FIND_OUTCOMES: LiteralString = """
    SELECT request_id, call, job_ids, fences FROM request_outcome
     WHERE scope = %(scope)s AND request_id = ANY(%(request_ids)s)
"""


async def find_outcomes(
    tx: Transaction, scope: str, request_ids: Sequence[str]
) -> AsyncCursor[RequestOutcome]:
    """Which of these request ids are known."""
    values = {"scope": scope, "request_ids": list(request_ids)}
    return await tx.send(FIND_OUTCOMES, values, args_row(RequestOutcome))


INSERT_OUTCOME: LiteralString = """
    WITH won AS (
        INSERT INTO request_outcome (scope, request_id, call, job_ids, fences, create_time)
        VALUES (%(scope)s, %(request_id)s, %(call)s, %(job_ids)s, %(fences)s, %(at)s)
        ON CONFLICT (scope, request_id) DO NOTHING
        RETURNING 1)
    SELECT count(*) FROM won
"""


async def insert_outcome(
    tx: Transaction, scope: str, outcome: RequestOutcome, at: datetime
) -> AsyncCursor[tuple[int]]:
    """Remember what a request id led to; 0 when another server was faster."""
    return await tx.send(INSERT_OUTCOME, {"scope": scope, "at": at, **outcome._asdict()})


PRUNE_OUTCOMES: LiteralString = """
    DELETE FROM request_outcome
     WHERE (scope, request_id) IN (
        SELECT scope, request_id FROM request_outcome
         WHERE create_time < coalesce(%(now)s::timestamptz, clock_timestamp()) - %(age)s
         ORDER BY create_time LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
"""


FORGET_OUTCOME: LiteralString = """
    DELETE FROM request_outcome WHERE scope = %(scope)s AND request_id = %(request_id)s
"""


async def forget_outcome(tx: Transaction, scope: str, request_id: str) -> None:
    """Let a request id be carried out anew: what it led to was taken back."""
    await tx.send(FORGET_OUTCOME, {"scope": scope, "request_id": request_id})


async def prune_outcomes(
    tx: Transaction, *, age: timedelta, now: datetime | None, limit: int
) -> AsyncCursor[Row]:
    """Forget the oldest request ids beyond this age."""
    return await tx.send(PRUNE_OUTCOMES, {"age": age, "now": now, "limit": limit})
