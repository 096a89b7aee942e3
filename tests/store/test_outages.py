"""Connections that are no use any more are given up, and new ones made without delay."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tenure_server.domain.errors import DatabaseUnavailable
from tenure_server.store import heads, queues
from tenure_server.store.database import Database, DatabaseSettings, translated
from tests.fixtures.proxy import Proxy, proxied_database

READ_ONLY = "SET default_transaction_read_only = on"


@pytest.fixture
async def proxy_and_database(dsn: str) -> AsyncIterator[tuple[Proxy, Database]]:
    """A database with a pool of one connection, and what lies in between."""
    async with proxied_database(dsn) as (proxy, through):
        database = Database(DatabaseSettings(through, pool_size=1))
        await database.open()
        yield proxy, database
        await database.close()


async def writing(database: Database) -> None:
    async with database.write() as tx:
        await queues.update_queue(tx, "default", "queue", True, None, None)
        await tx.settle()


async def reading(database: Database) -> None:
    async with database.read() as tx:
        await (await heads.read_clock(tx, None)).fetchone()


async def flushing(database: Database) -> None:
    with translated():
        async with database.flush() as tx:
            await queues.update_queue(tx, "default", "queue", True, None, None)
            await heads.commit(tx)
            await tx.settle()


@pytest.mark.parametrize("use", [writing, flushing])
async def test_a_connection_to_what_is_no_primary_any_more_is_dropped(
    proxy_and_database: tuple[Proxy, Database], use: Callable[[Database], Awaitable[None]]
) -> None:
    _, database = proxy_and_database
    await use(database)
    async with database.read() as tx:
        await tx.send(READ_ONLY)
        await tx.settle()
    async with database.flush() as tx:
        await tx.send(READ_ONLY)
        await heads.commit(tx)
        await tx.settle()

    with pytest.raises(DatabaseUnavailable):
        await use(database)

    await use(database)


@pytest.mark.parametrize("use", [writing, reading, flushing])
async def test_connections_that_died_unnoticed_fail_nobody(
    proxy_and_database: tuple[Proxy, Database], use: Callable[[Database], Awaitable[None]]
) -> None:
    proxy, database = proxy_and_database
    await use(database)
    proxy.cut()
    await asyncio.sleep(0.1)

    await use(database)


async def test_after_an_outage_reads_go_on_at_once(proxy_and_database: tuple[Proxy, Database]) -> None:
    """The pool tries after 1, 2, 4, … seconds: left to itself, it would let us wait for as long again."""
    proxy, database = proxy_and_database
    proxy.refusing = True
    proxy.cut()
    await asyncio.sleep(0.1)
    with pytest.raises(DatabaseUnavailable):
        await reading(database)

    proxy.refusing = False

    async with asyncio.timeout(1):
        await reading(database)
