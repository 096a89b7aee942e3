"""The clock leases are counted by on this machine: it only goes forward, and goes on while asleep."""

from __future__ import annotations

import time

# Linux stops the ordinary monotonic clock while the machine is suspended; the database goes on counting.
_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def now() -> float:
    """Return seconds since some fixed moment. A machine that slept finds its leases run out."""
    return time.monotonic() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)
