"""A job's documents and labels, kept out of its row."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import LiteralString
from uuid import UUID

from psycopg import AsyncCursor

from tenure_server.domain.job import Document
from tenure_server.store.arrays import byteas, integers, texts, uuids
from tenure_server.store.database import Transaction
from tenure_server.store.jsonb import as_jsonb

SAVE_DOCUMENTS: LiteralString = """
    INSERT INTO job_document (scope, job_id, kind, content, content_type, sha256)
    SELECT %(scope)s, job_id, kind, content, content_type, sha256
      FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(contents)s::bytea[],
                  %(content_types)s::text[], %(sums)s::bytea[])
           AS new(job_id, kind, content, content_type, sha256)
    ON CONFLICT (scope, job_id, kind) DO UPDATE
       SET content = excluded.content, content_type = excluded.content_type, sha256 = excluded.sha256
"""


async def save_documents(
    tx: Transaction, scope: str, documents: Sequence[tuple[UUID, str, Document]]
) -> None:
    """Store documents, each in place of the one of its kind before it."""
    values = {
        "scope": scope,
        "ids": uuids([job_id for job_id, _, _ in documents]),
        "kinds": texts([kind for _, kind, _ in documents]),
        "contents": byteas([document.content for _, _, document in documents]),
        "content_types": texts([document.content_type for _, _, document in documents]),
        "sums": byteas([hashlib.sha256(document.content).digest() for _, _, document in documents]),
    }
    await tx.send(SAVE_DOCUMENTS, values)


REMOVE_DOCUMENTS: LiteralString = """
    DELETE FROM job_document
     WHERE scope = %(scope)s AND job_id = ANY(%(ids)s) AND kind = ANY(%(kinds)s)
"""


async def remove_documents(tx: Transaction, scope: str, ids: Sequence[UUID], kinds: Sequence[str]) -> None:
    """Remove documents of these kinds."""
    await tx.send(REMOVE_DOCUMENTS, {"scope": scope, "ids": uuids(ids), "kinds": texts(kinds)})


READ_DOCUMENTS: LiteralString = """
    SELECT job_id, kind, content, content_type FROM job_document
     WHERE scope = %(scope)s AND job_id = ANY(%(ids)s)
       AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s))
"""


async def read_documents(
    tx: Transaction, scope: str, ids: Sequence[UUID], kinds: Sequence[str] | None = None
) -> AsyncCursor[tuple[UUID, str, bytes, str]]:
    """The documents of these jobs, of these kinds or of all."""
    values = {"scope": scope, "ids": uuids(ids), "kinds": None if kinds is None else texts(kinds)}
    return await tx.send(READ_DOCUMENTS, values)


# A content beyond the room of its share is not fetched from where it is stored.
READ_SHARES: LiteralString = """
    SELECT job_id, kind, CASE WHEN total <= %(room)s THEN content END, content_type
      FROM (SELECT stored.job_id, stored.kind, stored.content, stored.content_type,
                   sum(octet_length(stored.content))
                       OVER (PARTITION BY asked.share ORDER BY asked.place, stored.kind) AS total
              FROM unnest(%(ids)s::uuid[], %(shares)s::integer[])
                   WITH ORDINALITY AS asked(id, share, place)
              JOIN job_document AS stored ON stored.scope = %(scope)s AND stored.job_id = ANY(%(ids)s)
                                         AND stored.job_id = asked.id) AS counted
"""


async def read_shares(
    tx: Transaction, scope: str, shares: Mapping[UUID, int], room: int
) -> AsyncCursor[tuple[UUID, str, bytes | None, str]]:
    """The documents of jobs, by share in order and up to `room` bytes each; the rest without content."""
    values = {"scope": scope, "ids": uuids(shares), "shares": integers(shares.values()), "room": room}
    return await tx.send(READ_SHARES, values)


SAVE_LABELS: LiteralString = """
    INSERT INTO job_facet (scope, job_id, labels)
    SELECT %(scope)s, job_id, labels
      FROM unnest(%(ids)s::uuid[], %(labels)s::jsonb[]) AS new(job_id, labels)
    ON CONFLICT (scope, job_id) DO UPDATE SET labels = excluded.labels
"""


async def save_labels(
    tx: Transaction, scope: str, labels: Sequence[tuple[UUID, Sequence[tuple[str, str]]]]
) -> None:
    """Store label sets, each in place of the one before it."""
    values = {
        "scope": scope,
        "ids": uuids([job_id for job_id, _ in labels]),
        "labels": [as_jsonb(dict(pairs)) for _, pairs in labels],
    }
    await tx.send(SAVE_LABELS, values)
