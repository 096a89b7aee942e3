"""Lifecycle documents, immutable by name and version."""

from typing import LiteralString, NamedTuple

from psycopg import AsyncCursor
from psycopg.rows import args_row

from tenure_server.store.database import Transaction


class StoredLifecycle(NamedTuple):
    """A lifecycle as text."""

    name: str
    version: int
    document: str


LIST_LIFECYCLES: LiteralString = "SELECT name, version, document FROM lifecycle ORDER BY name, version"


async def list_lifecycles(tx: Transaction) -> AsyncCursor[StoredLifecycle]:
    """Every lifecycle there is."""
    return await tx.send(LIST_LIFECYCLES, None, args_row(StoredLifecycle))


INSERT_LIFECYCLE: LiteralString = """
    INSERT INTO lifecycle (name, version, document) VALUES (%(name)s, %(version)s, %(document)s)
    ON CONFLICT (name, version) DO NOTHING
"""


async def insert_lifecycle(tx: Transaction, lifecycle: StoredLifecycle) -> None:
    """Store a lifecycle unless this version of it is known."""
    await tx.send(INSERT_LIFECYCLE, lifecycle._asdict())
