"""The lifecycles this server knows."""

from collections.abc import Iterable

from tenure_server.domain.errors import LifecycleNotFound
from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_document import built_ins, parse
from tenure_server.store import lifecycles
from tenure_server.store.database import Database


class Catalogue:
    """Lifecycles by name and version; a job keeps the version it was born with."""

    def __init__(self, known: Iterable[Lifecycle] = ()) -> None:
        self._known: dict[tuple[str, int], Lifecycle] = {}
        self._newest: dict[str, int] = {}
        for lifecycle in known:
            self.add(lifecycle)

    def add(self, lifecycle: Lifecycle) -> None:
        """Make a lifecycle known."""
        self._known[lifecycle.name, lifecycle.version] = lifecycle
        self._newest[lifecycle.name] = max(lifecycle.version, self._newest.get(lifecycle.name, 0))

    def find(self, name: str, version: int) -> Lifecycle | None:
        """This version of a lifecycle, None when it is not known."""
        return self._known.get((name, version))

    def require(self, name: str, version: int = 0) -> Lifecycle:
        """This version, or the newest for 0; raises LifecycleNotFound."""
        found = self._known.get((name, version or self._newest.get(name, 0)))
        if found is None:
            raise LifecycleNotFound(name, version or None)
        return found


async def load_catalogue(database: Database) -> Catalogue:
    """Store the built-in lifecycles this Tenure brings, and load all there are."""
    offered = Catalogue(built_ins())
    async with database.read() as tx:
        for lifecycle in built_ins():
            stored = lifecycles.StoredLifecycle(lifecycle.name, lifecycle.version, lifecycle.document)
            await lifecycles.insert_lifecycle(tx, stored)
        cursor = await lifecycles.list_lifecycles(tx)
        await tx.settle()
        stored_all = await cursor.fetchall()
    for stored in stored_all:
        if offered.find(stored.name, stored.version) is None:
            offered.add(parse(stored.document, resolve=offered.find))
    return offered
