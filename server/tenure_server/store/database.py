"""Connections to PostgreSQL: one for the flusher, one for listening, a small pool for reads."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncCursor, conninfo
from psycopg.generators import send as send_all
from psycopg.pq import TransactionStatus
from psycopg.rows import AsyncRowFactory, tuple_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from tenure_server.domain import errors
from tenure_server.store.connection import Connection, PipelinedConnection

Row = Any

Answer = AsyncCursor
"""The rows of a statement, there once its transaction has been settled."""

PREPARED_STATEMENTS = 1000

SESSION: LiteralString = """
    SET statement_timeout = '5s';
    SET lock_timeout = '1s';
    SET idle_in_transaction_session_timeout = '10s';
    SET TimeZone = 'UTC';
    SET client_min_messages = 'warning';
    SET jit = off;
    SET plan_cache_mode = 'auto'
"""

# A flush finds rows by their keys alone, so one plan serves every call: planning a save takes longer than
# carrying it out. A plan that lasts must not depend on how small a table was when it was made, so those
# that read a table from end to end or look up row by row are ruled out: a statement that joins a table to
# an array of ids says `id = ANY(…)` as well, or it reads the whole scope.
FLUSH_SESSION: LiteralString = """
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_nestloop = off;
    SET enable_sort = off
"""

# Behind a transaction pooler nothing that is set for a session lasts, or stays with us.
SETTINGS_OF_TRANSACTION: LiteralString = """
    SELECT set_config('statement_timeout', '5s', true), set_config('lock_timeout', '1s', true),
           set_config('idle_in_transaction_session_timeout', '10s', true), set_config('jit', 'off', true)
"""

KEEPALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15000,
    "connect_timeout": 10,
}


def compact(*parts: LiteralString) -> LiteralString:
    """One statement without its layout: the driver parses one over 4096 characters anew each time."""
    return " ".join(word for part in parts for word in part.split())


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where the database is and how it is used; `pooled` is for a transaction pooler in between."""

    dsn: str = field(repr=False)
    pool_size: int = 4
    pooled: bool = False
    application_name: str = "tenure"


class Transaction:
    """One transaction in pipeline mode: statements are sent at once and answered in order."""

    __slots__ = ("_connection", "_pipeline")

    def __init__(self, connection: PipelinedConnection, pipeline: psycopg.AsyncPipeline) -> None:
        self._connection = connection
        self._pipeline = pipeline

    async def send(
        self,
        statement: LiteralString,
        values: Mapping[str, Any] | None = None,
        rows: AsyncRowFactory[Row] = tuple_row,
    ) -> AsyncCursor[Row]:
        """Send a statement; its rows are there after `settle`."""
        cursor = self._connection.cursor(row_factory=rows, binary=True)
        self._connection.queueing = True
        try:
            await cursor.execute(statement, values)
        finally:
            self._connection.queueing = False
        return cursor

    async def settle(self) -> None:
        """Wait until everything sent has been answered; raises the first error."""
        # The driver waits for answers even while part of what it sends is still in its buffer.
        await self._connection.wait(send_all(self._connection.pgconn))
        await self._pipeline.sync()


class Database:
    """The connections of one process."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._settings = settings
        self._flush_connection: PipelinedConnection | None = None
        self._pool: AsyncConnectionPool[PipelinedConnection] = AsyncConnectionPool(
            settings.dsn,
            kwargs=self._connect_arguments(),
            connection_class=PipelinedConnection,
            min_size=1,
            max_size=settings.pool_size,
            max_idle=60,
            timeout=5,
            # Beyond it the next one who asks makes it try at once; otherwise its pauses grow with the outage.
            reconnect_timeout=5,
            configure=self._configure,
            open=False,
            name="tenure",
        )

    async def open(self) -> None:
        """Open the pool; raises DatabaseUnavailable when no connection can be made."""
        await self._pool.open()
        with translated():
            await self._pool.wait(timeout=10)

    async def close(self) -> None:
        """Close every connection."""
        if self._flush_connection is not None:
            await self._flush_connection.close()
        await self._pool.close(timeout=5)

    async def connect(self) -> PipelinedConnection:
        """A connection of one's own, outside the pool."""
        with translated():
            connection = await PipelinedConnection.connect(self._settings.dsn, **self._connect_arguments())
            try:
                await self._configure(connection)
            except BaseException:
                await connection.close()
                raise
            return connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A pooled connection in autocommit: each statement sees what is committed when it starts."""
        with translated():
            async with self._pooled() as connection, connection.pipeline() as pipeline:
                yield Transaction(connection, pipeline)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction on a pooled connection, for what is not a job; commits at the end."""
        with translated():
            async with (
                self._pooled() as connection,
                connection.transaction(),
                connection.pipeline() as pipeline,
            ):
                yield Transaction(connection, pipeline)

    @asynccontextmanager
    async def _pooled(self) -> AsyncIterator[PipelinedConnection]:
        """A live connection of the pool. The pool's own check would swallow a cancellation."""
        connection = await self._pool.getconn()
        while not connection.looks_alive:
            await connection.close()
            await self._pool.putconn(connection)
            connection = await self._pool.getconn()
        try:
            yield connection
        except psycopg.errors.ReadOnlySqlTransaction:
            await connection.close()
            raise
        finally:
            await self._pool.putconn(connection)

    @asynccontextmanager
    async def flush(self) -> AsyncIterator[Transaction]:
        """The flusher's transaction, which it commits itself; left early, it is rolled back."""
        connection = await self._flusher()
        try:
            async with connection.pipeline() as pipeline:
                transaction = Transaction(connection, pipeline)
                await transaction.send("BEGIN")
                if self._settings.pooled:
                    await transaction.send(SETTINGS_OF_TRANSACTION)
                yield transaction
        except psycopg.errors.ReadOnlySqlTransaction:
            await self._drop(connection)
            raise
        except BaseException:
            await self._roll_back(connection)
            raise
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            await self._roll_back(connection)

    async def _flusher(self) -> PipelinedConnection:
        connection = self._flush_connection
        if connection is not None and not connection.looks_alive:
            await connection.close()
            connection = None
        if connection is None:
            connection = self._flush_connection = await self.connect()
            if not self._settings.pooled:
                with translated():
                    await connection.execute(FLUSH_SESSION, prepare=False)
        return connection

    async def _roll_back(self, connection: Connection) -> None:
        try:
            await connection.execute("ROLLBACK")
        except psycopg.Error:
            await self._drop(connection)

    async def _drop(self, connection: Connection) -> None:
        """Connect anew next time: this one is broken, or leads to a server that is no primary any more."""
        await connection.close()
        self._flush_connection = None

    async def _configure(self, connection: Connection) -> None:
        connection.prepared_max = PREPARED_STATEMENTS
        if not self._settings.pooled:
            await connection.execute(SESSION, prepare=False)

    def _connect_arguments(self) -> dict[str, Any]:
        given = conninfo.conninfo_to_dict(self._settings.dsn)
        arguments = {key: value for key, value in KEEPALIVE.items() if key not in given}
        return {
            **arguments,
            "application_name": given.get("application_name", self._settings.application_name),
            "autocommit": True,
            "prepare_threshold": None if self._settings.pooled else 0,
        }


UNAVAILABLE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
    PoolTimeout,
)
LOCKED = psycopg.errors.LockNotAvailable
AGAIN = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)
REFUSED = (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError, psycopg.InternalError)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what a lost or read-only database raises into DatabaseUnavailable.

    Cancelled in the middle of a pipeline the driver raises an error of its own: that is still a
    cancellation.
    """
    try:
        yield
    except UNAVAILABLE as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError from error
        raise errors.DatabaseUnavailable from error
