"""How far the work on a job is."""

from typing import NamedTuple


class Progress(NamedTuple):
    """One report; it replaces the one before as a whole."""

    label: str = ""
    done: int | None = None
    total: int | None = None
    message: str = ""
