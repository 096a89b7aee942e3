"""Who asks, and for how long."""

from typing import NamedTuple


class Caller(NamedTuple):
    """The wall a call stays within, and the loop's time after which nobody waits for its answer."""

    scope: str
    deadline: float
