"""How long to rest between tries while a server cannot answer, and when to give up."""

from __future__ import annotations

import random
from collections.abc import Callable

from tenure import clock
from tenure.errors import TenureError

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_MOST_TRIES_COUNTED = 16


class Outage:
    """Counts one spell of temporary errors. `patience` is the longest spell borne, in seconds."""

    def __init__(self, patience: float, now: Callable[[], float] = clock.now) -> None:
        self._patience = patience
        self._now = now
        self._since: float | None = None
        self._tries = 0

    def over(self) -> None:
        """Note a success."""
        self._since = None
        self._tries = 0

    def pause(self, error: TenureError) -> float:
        """Return how many seconds to rest before the next try; raises `error` when there is none."""
        now = self._now()
        self._since = now if self._since is None else self._since
        if not error.temporary or now - self._since > self._patience:
            raise error
        return self.rest(error)

    def rest(self, error: TenureError) -> float:
        """Return how many seconds to rest, whatever the error is."""
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**self._tries)
        self._tries = min(self._tries + 1, _MOST_TRIES_COUNTED)
        return (error.retry_after or 0.0) + random.uniform(0, longest)
