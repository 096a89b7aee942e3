"""Numbers and ids made from the database's time."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Sequence:
    """Draws the order in which jobs were created and became ready.

    Numbers are microseconds of the database's clock, never the same twice in one process. Across
    servers they order as their clock readings do, which is all that fairness needs.
    """

    def __init__(self) -> None:
        self._last = 0

    def draw(self, at: datetime) -> int:
        """The next number, at or after this time."""
        self._last = max(self._last + 1, (at - EPOCH) // MICROSECOND)
        return self._last


def random_bytes(size: int, at_once: int = 64) -> Iterator[bytes]:
    """Random bytes of the system, fetched for many uses at once: each fetch is a system call."""
    while True:
        drawn = os.urandom(size * at_once)
        yield from (drawn[start : start + size] for start in range(0, len(drawn), size))


_CHANCE = random_bytes(8)


def make_job_id(number: int) -> UUID:
    """A UUID v7 from a number drawn: ids sort in the order in which their numbers were drawn.

    48 bits of milliseconds, 12 bits of the microseconds within, chance in the rest.
    """
    millis, within = divmod(number, 1000)
    chance = int.from_bytes(next(_CHANCE)) >> 2
    return UUID(int=(millis & (2**48 - 1)) << 80 | 0x7 << 76 | (within * 4) << 64 | 0b10 << 62 | chance)
