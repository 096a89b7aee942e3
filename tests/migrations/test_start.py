"""Servers that start at once, on no schema, an old one or one too new."""

import asyncio
import os
import subprocess
import sys

import psycopg
import pytest

from tenure import AsyncClient
from tenure_server.domain.errors import DatabaseUnavailable, SchemaTooNew
from tenure_server.store.database import Database, DatabaseSettings
from tenure_server.store.migrate import LOCK_ID, known_version, migrate_database, schema_version
from tests.factories import QUEUE, acquire_one
from tests.fixtures.server import running_server
from tests.fixtures.service import HandDrivenClock

TEN = 10
TAKE_LOCK_SOON = "SELECT set_config('lock_timeout', '200ms', true), pg_advisory_xact_lock(%(id)s)"
ROUNDS = 3


def database(dsn: str) -> Database:
    return Database(DatabaseSettings(dsn, pool_size=1))


def run(*arguments: str, dsn: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("TENURE_")}
    return subprocess.run(
        [sys.executable, "-m", "tenure_server", *arguments],
        env=inherited | {"TENURE_DSN": dsn}, capture_output=True, text=True, timeout=30,
    )  # fmt: skip


def tables(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        cursor = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return sorted(str(row[0]) for row in cursor.fetchall())


def set_version(dsn: str, version: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migration (version) VALUES (%s)", [version])


async def test_ten_that_migrate_an_empty_database_at_once_all_find_it_done(empty_dsn: str) -> None:
    for _ in range(ROUNDS):
        with psycopg.connect(empty_dsn, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")

        found = await asyncio.gather(*(migrate_database(database(empty_dsn)) for _ in range(TEN)))

        assert found == [known_version()] * TEN
        with psycopg.connect(empty_dsn) as connection:
            applied = connection.execute("SELECT version FROM schema_migration ORDER BY version").fetchall()
        assert applied == [(version,) for version in range(1, known_version() + 1)]


async def test_ten_servers_that_start_at_once_on_an_empty_database_all_serve(
    empty_dsn: str, socket_dir: object, clock: HandDrivenClock
) -> None:
    async def serve(number: int) -> None:
        async with (
            running_server(empty_dsn, f"unix:{socket_dir}/{number}.sock", clock) as server,
            AsyncClient(server.target) as client,
        ):
            job = (await client.create_job(QUEUE, idempotency_key=str(number))).job
            grant = await acquire_one(client, job)
            assert (await client.transition(grant, "succeeded")).job.state == "succeeded"
            async with asyncio.timeout(20):
                await all_ten.wait()

    all_ten = asyncio.Barrier(TEN)
    await asyncio.gather(*(serve(number) for number in range(TEN)))


async def test_a_migration_that_was_cut_off_left_nothing_behind(empty_dsn: str) -> None:
    migrating = asyncio.create_task(migrate_database(database(empty_dsn)))
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        for _ in range(200):
            await asyncio.sleep(0.002)
            ended = connection.execute("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL
            """).fetchall()
            if ended or migrating.done():
                break
    (outcome,) = await asyncio.gather(migrating, return_exceptions=True)

    assert tables(empty_dsn) == [] if isinstance(outcome, BaseException) else outcome == known_version()
    assert await migrate_database(database(empty_dsn)) == known_version()


async def test_whoever_cannot_have_the_lock_of_all_migrations_says_so_in_time(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(empty_dsn) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_ID])
        monkeypatch.setattr("tenure_server.store.migrate.TAKE_LOCK", TAKE_LOCK_SOON)

        with pytest.raises(DatabaseUnavailable):
            await migrate_database(database(empty_dsn))

    assert tables(empty_dsn) == []


async def test_a_newer_schema_is_refused(dsn: str) -> None:
    set_version(dsn, known_version() + 1)

    with pytest.raises(SchemaTooNew):
        await migrate_database(database(dsn))
    assert await schema_version(database(dsn)) == known_version() + 1


@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_newer_schema_is_refused_in_one_line(dsn: str, command: str) -> None:
    newer = known_version() + 1
    set_version(dsn, newer)

    ended = run(command, dsn=dsn)

    assert ended.returncode == 2
    told = [line for line in ended.stderr.splitlines() if "Warning" not in line and "return Path" not in line]
    assert len(told) == 1
    assert told[0].endswith(
        f"the database has schema version {newer}, this Tenure knows {known_version()}; start a newer Tenure"
    )
    assert ended.stdout == ""


def test_the_status_touches_nothing(empty_dsn: str) -> None:
    ended = run("migrate", "--status", dsn=empty_dsn)

    assert ended.returncode == 0
    assert f"schema version 0 (this Tenure knows {known_version()})" in ended.stdout
    assert tables(empty_dsn) == []


def test_migrating_again_changes_nothing(dsn: str) -> None:
    before = rows(dsn)

    ended = run("migrate", dsn=dsn)

    assert ended.returncode == 0
    assert rows(dsn) == before


def rows(dsn: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT version, applied_time, xmin FROM schema_migration").fetchall()
