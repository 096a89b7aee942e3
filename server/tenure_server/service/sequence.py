"""Numbers and ids made from the database's time."""

import os
from datetime import UTC, datetime, timedelta
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Sequence:
    """Draws `ready_seq`: the order in which jobs became ready.

    Numbers are microseconds of the database's clock, never the same twice in one process. Across
    servers they order as their clock readings do, which is all that fairness needs.
    """

    def __init__(self) -> None:
        self._last = 0

    def draw(self, at: datetime) -> int:
        """The next number, at or after this time."""
        self._last = max(self._last + 1, (at - EPOCH) // MICROSECOND)
        return self._last


def make_job_id(at: datetime, order: int) -> UUID:
    """A UUID v7 of this time: ids of one flush sort in the order they are made.

    48 bits of milliseconds, 12 bits of the microseconds within, `order` and chance in the rest.
    """
    micros = (at - EPOCH) // MICROSECOND
    millis, within = divmod(micros, 1000)
    sub_millisecond = within * 4
    tail = ((order & 0x3FFF) << 48) | int.from_bytes(os.urandom(6))
    value = (millis & (2**48 - 1)) << 80 | 0x7 << 76 | sub_millisecond << 64 | 0b10 << 62 | tail
    return UUID(int=value)
