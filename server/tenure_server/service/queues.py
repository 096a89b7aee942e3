"""Queues: what lies in them, and what they hand out."""

from tenure_server.domain import errors
from tenure_server.domain.clock import Clock
from tenure_server.service.caller import Caller
from tenure_server.service.notifications import Notifications
from tenure_server.service.wakeups import Wakeups, queue_topic
from tenure_server.store import queues
from tenure_server.store.database import Database
from tenure_server.store.queues import StoredQueue


class Queues:
    """Shows queues, pauses them and bounds them."""

    def __init__(
        self, database: Database, wakeups: Wakeups, notifications: Notifications, clock: Clock
    ) -> None:
        self._database = database
        self._wakeups = wakeups
        self._notifications = notifications
        self._clock = clock

    async def get(self, caller: Caller, name: str) -> StoredQueue:
        """One queue; one nobody has named yet is simply empty."""
        async with self._database.read() as tx:
            cursor = await queues.list_queues(tx, caller.scope, only=name)
            row = await cursor.fetchone()
        assert row is not None
        return row

    async def list(self, caller: Caller, *, after: str, limit: int) -> list[StoredQueue]:
        """A page of queues by name, after this one."""
        async with self._database.read() as tx:
            cursor = await queues.list_queues(tx, caller.scope, after=after, limit=limit)
            return await cursor.fetchall()

    async def update(
        self, caller: Caller, name: str, paused: bool | None, max_active: int | None
    ) -> StoredQueue:
        """Set what is not None. When this returns, no claim under the old settings is under way."""
        if paused is None and max_active is None:
            raise errors.InvalidField("paused", "name something to change: paused or max_active")
        async with self._database.write() as tx:
            await queues.take_queue(tx, caller.scope, name)
            await queues.update_queue(tx, caller.scope, name, paused, max_active, self._clock.pinned)
            await tx.settle()
        topic = queue_topic(caller.scope, name)
        self._wakeups.wake(topic)
        self._notifications.tell([topic])
        return await self.get(caller, name)
