"""The one place where a process may read a clock of its own."""

import time
from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class Clock:
    """Hands `now` to the database: None lets the database's clock decide; tests pin an instant."""

    pinned: datetime | None = None


def unix_nanoseconds() -> int:
    """This machine's clock, for log lines and generated names only; never for a decision on a job."""
    return time.time_ns()
