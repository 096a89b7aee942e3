"""Getting jobs: never more than there is room for, with one waiting call at a time."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tenure import clock
from tenure.async_client import AsyncClient
from tenure.errors import TenureError
from tenure.held_lease import HeldLease
from tenure.lease_keeper import LeaseKeeper
from tenure.model.lease import Acquire, Acquired, Grant, Release
from tenure.outage import Outage
from tenure.pulse import Pulse
from tenure.worker.settings import WorkerSettings
from tenure.worker.trouble import is_fatal

logger = logging.getLogger("tenure")

_SHORTEST_REST = 0.05
_MEAN_WEIGHT = 0.2
_RELEASE_SECONDS = 5.0


class Ready(NamedTuple):
    """A job that is leased and waits for a free handler."""

    grant: Grant
    lease: HeldLease


class Intake:
    """Asks for jobs and keeps those that are leased ahead."""

    def __init__(
        self,
        client: AsyncClient,
        keeper: LeaseKeeper,
        settings: WorkerSettings,
        kinds: Sequence[str],
        on_change: Callable[[HeldLease], None],
        on_ready: Callable[[], None],
    ) -> None:
        self.running = 0
        self.pulse = Pulse(clock.now)
        self._client = client
        self._keeper = keeper
        self._settings = settings
        self._kinds = kinds
        self._on_change = on_change
        self._on_ready = on_ready
        self._ready: deque[Ready] = deque()
        self._asked = 0
        self._mean_run: float | None = None
        self._closed = False
        # While reports bring new jobs no call of its own is needed; once they bring too few, it is.
        self._dry = True
        self._reporting: Callable[[], bool] = bool
        self._look = asyncio.Event()
        self._outage = Outage(float("inf"))
        self._releases: set[asyncio.Task[None]] = set()

    def reports_through(self, reporting: Callable[[], bool]) -> None:
        """Learn how to see whether a report is under way, which asks for jobs itself."""
        self._reporting = reporting

    def ran(self, duration: float) -> None:
        """Note how long a job took, by which the number of jobs leased ahead is chosen."""
        mean = duration if self._mean_run is None else self._mean_run
        self._mean_run = mean + _MEAN_WEIGHT * (duration - mean)

    def look(self) -> None:
        """See whether there is room again."""
        self._look.set()

    def ask(self, wait: float = 0) -> Acquire | None:
        """Return what to ask for, which must then be `took`; None when there is no room."""
        room = 0 if self._closed else self._room()
        if room <= 0:
            return None
        self._asked += room
        return Acquire(
            holder=self._settings.holder,
            queues=self._settings.queues,
            kinds=self._kinds,
            labels=self._settings.labels,
            max_leases=room,
            lease_duration=self._settings.lease_duration,
            wait=wait,
        )

    def took(self, asked: Acquire, grants: Sequence[Grant]) -> None:
        self._asked -= asked.max_leases
        self._dry = len(grants) < asked.max_leases
        new = [grant for grant in grants if not self._keeper.holds(grant)]
        if self._closed:
            self._give_back([Release(lease=grant) for grant in new])
            return
        self._ready.extend(Ready(grant, self._keeper.hold(grant, self._on_change)) for grant in new)
        self._on_ready()

    def next_ready(self) -> Ready | None:
        """Take the first job whose lease lasts long enough to begin."""
        self._ready = deque(job for job in self._ready if not job.lease.lost.is_set())
        for job in self._ready:
            if job.lease.fresh:
                self._ready.remove(job)
                return job
        return None

    async def run(self) -> None:
        """Ask for ever; raises what asking again can never mend."""
        while True:
            asked = None if self._reports_suffice() else self.ask(self._settings.wait)
            if asked is None:
                self.pulse.rest()
                await self._look.wait()
                self._look.clear()
                continue
            self.pulse.expect()
            begun = clock.now()
            acquired = await self._acquire(asked)
            self.took(asked, acquired.grants)
            if not acquired.grants:
                await _rest(acquired.poll_after - (clock.now() - begun))

    async def close(self) -> None:
        """Take no more jobs and give back those not begun; closing again gives back what came since."""
        self._closed = True
        self.pulse.rest()
        unstarted, self._ready = list(self._ready), deque()
        self._give_back([Release(lease=job.lease) for job in unstarted])
        if self._releases:
            await asyncio.wait(self._releases, timeout=_RELEASE_SECONDS)
        for job in unstarted:
            self._keeper.drop(job.lease)

    def _room(self) -> int:
        limit = self._settings.concurrency + self._settings.prefetched(self._mean_run)
        return min(limit - self.running - len(self._ready) - self._asked, 500)

    def _reports_suffice(self) -> bool:
        return self._reporting() and not self._dry

    async def _acquire(self, asked: Acquire) -> Acquired:
        """Ask until there is an answer, each time the same, so that no grant lies idle."""
        while True:
            try:
                acquired = await self._client.acquire_leases(asked)
            except TenureError as error:
                if is_fatal(error):
                    raise
                logger.warning("asking for jobs failed, trying again: %s", error)
                await asyncio.sleep(self._outage.rest(error))
                continue
            self._outage.over()
            self.pulse.beat()
            return acquired

    def _give_back(self, releases: Sequence[Release]) -> None:
        if releases:
            task = asyncio.create_task(self._release(releases))
            self._releases.add(task)
            task.add_done_callback(self._releases.discard)

    async def _release(self, releases: Sequence[Release]) -> None:
        try:
            await self._client.release_many(releases)
        except TenureError as error:
            logger.warning("%d jobs could not be given back and run out: %s", len(releases), error)


async def _rest(left: float) -> None:
    """Rest for what is left of the server's wish, or a little where the call did not wait."""
    await asyncio.sleep(max(left, 0) * random.uniform(1, 1.5) + random.uniform(0, _SHORTEST_REST))
