"""What this server is."""

from datetime import datetime, timedelta
from importlib.metadata import version
from typing import NamedTuple

from tenure_server.domain.clock import Clock, unix_nanoseconds
from tenure_server.service.sequence import EPOCH, MICROSECOND
from tenure_server.store import heads
from tenure_server.store.database import Database


class ServerFacts(NamedTuple):
    """Versions, and how far this server's clock is ahead of the database's."""

    version: str
    schema_version: int
    database_time: datetime
    clock_offset: timedelta


class ServerInfo:
    """Looks at the server and its database."""

    def __init__(self, database: Database, clock: Clock, schema_version: int) -> None:
        self._database = database
        self._clock = clock
        self._schema_version = schema_version

    async def read(self) -> ServerFacts:
        """The facts as they are now; raises DatabaseUnavailable."""
        async with self._database.read() as tx:
            cursor = await heads.read_clock(tx, self._clock.pinned)
            row = await cursor.fetchone()
        assert row is not None
        mine = EPOCH + unix_nanoseconds() // 1000 * MICROSECOND
        return ServerFacts(version("tenure"), self._schema_version, row[0], mine - row[0])
