"""The small fixed set of phases that every tool understands, whatever a lifecycle calls its states."""

from enum import StrEnum


class Phase(StrEnum):
    """What a state means to a reader who does not know the lifecycle."""

    WAITING = "WAITING"
    ACTIVE = "ACTIVE"
    PARKED = "PARKED"
    STOPPING = "STOPPING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def terminal(self) -> bool:
        """Whether a job in this phase has ended."""
        return self in _TERMINAL


_TERMINAL = frozenset({Phase.SUCCEEDED, Phase.FAILED, Phase.CANCELLED})
