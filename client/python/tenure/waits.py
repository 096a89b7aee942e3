"""How long one call may wait at the server, and what deadline it needs for that."""

from __future__ import annotations

LONGEST_WAIT = 50.0
_SHARE_OF_DEADLINE = 0.8  # the server ends a wait after this much of the call's deadline
_SPARE_SECONDS = 2.0


def call_timeout(wait: float, timeout: float) -> float:
    """Return a deadline that lets a call wait `wait` seconds and is not shorter than `timeout`."""
    if wait <= 0:
        return timeout
    return max(timeout, min(wait, LONGEST_WAIT) / _SHARE_OF_DEADLINE + _SPARE_SECONDS)
