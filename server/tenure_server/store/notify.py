"""The connection that listens for other servers and notifies them."""

import os
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import LiteralString, Self

from tenure_server.store.connection import Connection
from tenure_server.store.database import Database, translated

LISTEN: LiteralString = "LISTEN tenure_wakeup"

NOTIFY: LiteralString = """
    SELECT pg_notify('tenure_wakeup', %(sender)s || E'\\x1e' || payload)
      FROM unnest(%(payloads)s::text[]) AS payload
"""

MAX_PAYLOAD = 7000


class Listener:
    """Two connections: one only listens, so that notifying never waits for it."""

    def __init__(self, hearing: Connection, telling: Connection) -> None:
        self._hearing = hearing
        self._telling = telling
        self._name = os.urandom(8).hex()

    @classmethod
    async def open(cls, database: Database) -> Self:
        """Connect and listen; raises DatabaseUnavailable."""
        hearing = await database.connect()
        try:
            with translated():
                await hearing.execute(LISTEN)
            telling = await database.connect()
        except BaseException:
            await hearing.close()
            raise
        return cls(hearing, telling)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._hearing.close()
        await self._telling.close()

    async def notify(self, payloads: Sequence[str]) -> None:
        """Tell the other servers; what is too long to be told is left to their polling."""
        told = [payload for payload in payloads if len(payload) < MAX_PAYLOAD]
        with translated():
            await self._telling.execute(NOTIFY, {"sender": self._name, "payloads": told})

    async def heard(self) -> AsyncIterator[str]:
        """What other servers tell, for ever; raises DatabaseUnavailable when the connection is lost.

        A quiet connection is tried every 15 s, so that one that died unnoticed is found.
        """
        with translated():
            while True:
                async for message in self._hearing.notifies(timeout=15):
                    sender, _, payload = message.payload.partition("\x1e")
                    if sender != self._name:
                        yield payload
                await self._hearing.execute("SELECT 1")
