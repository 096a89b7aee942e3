"""What waits for the next flush: lanes of their own, scopes in turn, one command per job."""

import asyncio
from collections import deque
from collections.abc import Iterable
from uuid import UUID

from tenure_server.service.calls import Call, Lane

LANE_ROOM = 500


class Backlog:
    """Calls gather here while a flush is under way.

    A flush takes at most `room` items of each lane, so that a flood of one kind leaves the others
    their place; within a lane scopes take turns; a second command for a job waits for the next flush,
    in order of arrival within its lane: a renewal goes before a move that still waits.
    """

    def __init__(self, room: int = LANE_ROOM) -> None:
        self._room = room
        self._lanes: dict[Lane, dict[str, deque[Call]]] = {lane: {} for lane in Lane}
        self._filled = asyncio.Event()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, calls: Iterable[Call]) -> None:
        """Put calls at the end."""
        for call in calls:
            self._lanes[call.lane].setdefault(call.scope, deque()).append(call)
            self._count += 1
        if self._count:
            self._filled.set()

    def put_back(self, calls: Iterable[Call]) -> None:
        """Put calls that could not be carried out yet before all others."""
        for call in reversed(list(calls)):
            self._lanes[call.lane].setdefault(call.scope, deque()).appendleft(call)
            self._count += 1
        if self._count:
            self._filled.set()

    async def wait(self) -> None:
        """Wait until there is something to take."""
        await self._filled.wait()

    def wake(self) -> None:
        """Let `wait` return even if there is nothing."""
        self._filled.set()

    def take(self) -> list[Call]:
        """What goes into the next flush."""
        taken: list[Call] = []
        named: set[tuple[str, UUID]] = set()
        for scopes in self._lanes.values():
            taken += self._take_lane(scopes, named)
        self._count -= len(taken)
        if not self._count:
            self._filled.clear()
        return taken

    def _take_lane(self, scopes: dict[str, deque[Call]], named: set[tuple[str, UUID]]) -> list[Call]:
        taken: list[Call] = []
        later: list[Call] = []
        room = self._room
        while scopes and room > 0:
            for scope in list(scopes):
                call = scopes[scope].popleft()
                if not scopes[scope]:
                    del scopes[scope]
                if not _first_for_its_job(call, named):
                    later.append(call)
                    continue
                taken.append(call)
                room -= call.weight
                if room <= 0:
                    break
        for call in reversed(later):
            scopes.setdefault(call.scope, deque()).appendleft(call)
        if taken and scopes:
            first = next(iter(scopes))
            scopes[first] = scopes.pop(first)
        return taken


def _first_for_its_job(call: Call, named: set[tuple[str, UUID]]) -> bool:
    job_id = call.names_job
    if job_id is None:
        return True
    name = (call.scope, job_id)
    if name in named:
        return False
    named.add(name)
    return True
