"""Telling other servers, and hearing from them: never inside a writer's transaction."""

import asyncio
import logging
from collections.abc import Iterable

from tenure_server.domain.errors import DatabaseUnavailable
from tenure_server.service.wakeups import Topic, Wakeups
from tenure_server.store.database import Database
from tenure_server.store.notify import Listener

log = logging.getLogger(__name__)

QUIET = 0.05
RETRY = 1.0
SEPARATOR = "\x1f"


class Notifications:
    """One connection that listens and notifies; lost, it is opened again and everyone looks once."""

    def __init__(self, database: Database, wakeups: Wakeups) -> None:
        self._database = database
        self._wakeups = wakeups
        self._pending: set[Topic] = set()
        self._filled = asyncio.Event()

    def tell(self, topics: Iterable[Topic]) -> None:
        """Tell other servers soon: the first at once, then at most once per topic and 50 ms."""
        self._pending.update(topics)
        if self._pending:
            self._filled.set()

    async def run(self) -> None:
        """Listen and notify for ever."""
        warned = False
        while True:
            try:
                async with await Listener.open(self._database) as listener:
                    warned = False
                    self._wakeups.wake_all()
                    await self._serve(listener)
            except* DatabaseUnavailable:
                if not warned:
                    log.warning("the listening connection is lost; polling until it is back")
                warned = True
                await asyncio.sleep(RETRY)

    async def _serve(self, listener: Listener) -> None:
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._tell(listener))
            try:
                async for payload in listener.heard():
                    match payload.split(SEPARATOR):
                        case [kind, scope, name]:
                            self._wakeups.heard((kind, scope, name))
            finally:
                telling.cancel()

    async def _tell(self, listener: Listener) -> None:
        while True:
            await self._filled.wait()
            topics, self._pending = self._pending, set()
            self._filled.clear()
            await listener.notify([SEPARATOR.join(topic) for topic in topics])
            await asyncio.sleep(QUIET)
