"""Health by what succeeded, not by what merely runs."""

from __future__ import annotations

from collections.abc import Callable


class Pulse:
    """Tells how long ago something succeeded that ought to succeed again and again."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._last: float | None = None

    def expect(self) -> None:
        """Begin to expect successes, if none were expected."""
        if self._last is None:
            self._last = self._now()

    def beat(self) -> None:
        """Note a success."""
        self._last = self._now()

    def rest(self) -> None:
        """Expect none for now."""
        self._last = None

    def age(self) -> float:
        """Return the seconds since the last success; 0 while none is expected."""
        last = self._last
        return 0.0 if last is None else self._now() - last
