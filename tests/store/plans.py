"""The plans PostgreSQL really uses for the store's statements, as it tells them itself."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg.errors import Diagnostic

from tenure_server.store.database import Database, Transaction

# Every statement's plan comes as a notice, with what it did.
EXPLAIN: tuple[LiteralString, ...] = (
    "LOAD 'auto_explain'",
    "SET auto_explain.log_min_duration = 0",
    "SET auto_explain.log_analyze = on",
    "SET auto_explain.log_buffers = on",
    "SET auto_explain.log_format = json",
    "SET auto_explain.log_level = notice",
    "SET client_min_messages = notice",
)
# A plan is told when the statement's portal is closed, which the next statement does.
CLOSE: LiteralString = "SET client_min_messages = notice"

Use = Callable[[Transaction], Awaitable[Any]]


class Plan(NamedTuple):
    """One statement's plan."""

    root: dict[str, Any]

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Every node, from the root down."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.get("Plans", ())

    @property
    def indexes(self) -> set[str]:
        """The indexes it reads."""
        return {node["Index Name"] for node in self.nodes() if "Index Name" in node}

    @property
    def types(self) -> set[str]:
        """What its nodes do."""
        return {node["Node Type"] for node in self.nodes()}

    @property
    def scanned(self) -> set[str]:
        """The tables it reads from end to end."""
        return {node["Relation Name"] for node in self.nodes() if node["Node Type"] == "Seq Scan"}

    @property
    def buffers(self) -> int:
        """How many pages it looked at."""
        return int(self.root["Shared Hit Blocks"]) + int(self.root["Shared Read Blocks"])


class Explained:
    """A transaction on a connection that tells its plans; nothing of it stays."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._told: list[str] = []

    @asynccontextmanager
    async def transaction(self, *, of_flush: bool) -> AsyncIterator[Transaction]:
        """A transaction of the flusher, whose connection plans in its own way, or one of the pool."""
        begin = self._database.flush if of_flush else self._database.write
        with suppress(psycopg.Rollback):
            async with begin() as tx:
                tx._connection.add_notice_handler(self._note)
                for statement in EXPLAIN:
                    await tx.send(statement)
                await tx.settle()
                yield tx
                raise psycopg.Rollback

    def _note(self, said: Diagnostic) -> None:
        if said.message_primary and "plan:" in said.message_primary:
            self._told.append(said.message_primary.partition("plan:")[2])

    async def plans(self, tx: Transaction, use: Use) -> list[Plan]:
        """The plans of what `use` sends."""
        await tx.send(CLOSE)
        await tx.settle()
        self._told.clear()
        await use(tx)
        await tx.send(CLOSE)
        await tx.settle()
        return [Plan(json.loads(told)["Plan"]) for told in self._told]
