"""Bringing the schema up to date, by whichever server comes first."""

from importlib import resources
from typing import Any, LiteralString, NamedTuple

from psycopg import AsyncConnection
from psycopg import errors as pg

from tenure_server.domain.errors import DatabaseUnavailable, SchemaTooNew
from tenure_server.store.database import Database

LOCK_ID = 7_236_511_904_417

TAKE_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(%(id)s)"

CREATE_TABLE: LiteralString = """
    CREATE TABLE IF NOT EXISTS schema_migration (
        version      integer PRIMARY KEY,
        applied_time timestamptz NOT NULL DEFAULT clock_timestamp())
"""

FIND_TABLE: LiteralString = "SELECT to_regclass('schema_migration') IS NOT NULL"
READ_VERSION: LiteralString = "SELECT coalesce(max(version), 0) FROM schema_migration"
RECORD_VERSION: LiteralString = "INSERT INTO schema_migration (version) VALUES (%(version)s)"


class Migration(NamedTuple):
    """One numbered step of the schema."""

    version: int
    script: str


def migrations() -> list[Migration]:
    """The steps this Tenure knows, in order."""
    folder = resources.files("tenure_server.store") / "migrations"
    scripts = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [Migration(int(name[:4]), (folder / name).read_text("utf-8")) for name in scripts]


def known_version() -> int:
    """The newest schema version this Tenure knows."""
    return migrations()[-1].version


async def schema_version(database: Database) -> int:
    """The version the database has, 0 when it has none; looks without touching."""
    connection = await database.connect()
    async with connection:
        return await _version(connection)


async def migrate_database(database: Database) -> int:
    """Apply the missing steps and return the version; raises SchemaTooNew when it is ahead of us.

    Any number of servers may call this at once: one applies, the others wait and find it done.
    """
    connection = await database.connect()
    async with connection:
        found = await _version(connection)
        if found == known_version():
            return found
        if found > known_version():
            raise SchemaTooNew(found, known_version())
        await connection.execute("SET lock_timeout = '60s'")
        await connection.execute("SET statement_timeout = 0")
        try:
            return await _apply_missing(connection)
        except (pg.LockNotAvailable, pg.ReadOnlySqlTransaction) as error:
            raise DatabaseUnavailable from error


async def _apply_missing(connection: AsyncConnection[Any]) -> int:
    async with connection.transaction():
        await connection.execute(TAKE_LOCK, {"id": LOCK_ID})
        await connection.execute("SET LOCAL lock_timeout = '5s'")
        await connection.execute(CREATE_TABLE)
        found = await _version(connection)
        for migration in migrations():
            if migration.version > found:
                await connection.execute(migration.script.encode(), prepare=False)
                await connection.execute(RECORD_VERSION, {"version": migration.version})
        return max(found, known_version())


async def _version(connection: AsyncConnection[Any]) -> int:
    there = await (await connection.execute(FIND_TABLE)).fetchone()
    if there is None or not there[0]:
        return 0
    row = await (await connection.execute(READ_VERSION)).fetchone()
    return 0 if row is None else int(row[0])
