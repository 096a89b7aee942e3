"""The one loop that all sweeps share: when to run next."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Protocol

from tenure_server.domain.errors import TenureError

log = logging.getLogger(__name__)

SHORTEST_REST = 0.02


class Sweep(Protocol):
    """One bounded pass; returns how many it found, so that a full page is followed by the next."""

    async def run_once(self) -> int: ...


class Ticker:
    """Runs a sweep about every `interval` seconds, or when nudged, or again at once after a full page.

    A failed pass is logged and made up for by the next one: a sweep never stops the others.
    """

    def __init__(
        self,
        sweep: Sweep,
        interval: float,
        *,
        full_page: int,
        until_next: Callable[[], Awaitable[float | None]] | None = None,
    ) -> None:
        self._sweep = sweep
        self._interval = interval
        self._full_page = full_page
        self._until_next = until_next
        self._nudged = asyncio.Event()
        self._failing = False

    def nudge(self) -> None:
        """Look again right away."""
        self._nudged.set()

    async def run(self) -> None:
        """Sweep for ever."""
        while True:
            self._nudged.clear()
            if await self._pass() < self._full_page:
                await self._rest()

    async def _pass(self) -> int:
        name = type(self._sweep).__name__
        try:
            found = await self._sweep.run_once()
        except TenureError as failure:
            if not self._failing:
                log.warning("%s rests until the database is back: %s", name, failure.reason)
            self._failing = True
            return 0
        except Exception:
            log.exception("%s failed; it goes on with its next pass", name)
            return 0
        self._failing = False
        return found

    async def _rest(self) -> None:
        seconds = self._interval * random.uniform(0.8, 1.0)
        if self._until_next is not None and not self._failing:
            seconds = min(seconds, await self._known_next(seconds))
        try:
            async with asyncio.timeout(seconds):
                await self._nudged.wait()
        except TimeoutError:
            return

    async def _known_next(self, otherwise: float) -> float:
        assert self._until_next is not None
        try:
            known = await self._until_next()
        except TenureError:
            return otherwise
        return otherwise if known is None else max(known, SHORTEST_REST)
