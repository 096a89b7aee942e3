"""The words of the API, without the prefixes that protobuf needs."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar


class Phase(StrEnum):
    """What a job's state means to every tool."""

    UNKNOWN = "UNKNOWN"
    """From a newer server."""
    WAITING = "WAITING"
    ACTIVE = "ACTIVE"
    PARKED = "PARKED"
    STOPPING = "STOPPING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def terminal(self) -> bool:
        return self in {Phase.SUCCEEDED, Phase.FAILED, Phase.CANCELLED}


class Directive(StrEnum):
    """What a holder is asked to do."""

    UNKNOWN = "UNKNOWN"
    CANCEL = "CANCEL"
    PAUSE = "PAUSE"


class Visibility(StrEnum):
    """Chooses between jobs that were deleted and those that were not."""

    ACTIVE = "ACTIVE"
    HIDDEN = "HIDDEN"
    ALL = "ALL"


class EmptyReason(StrEnum):
    """Why an acquire granted nothing."""

    UNKNOWN = "UNKNOWN"
    NO_JOBS = "NO_JOBS"
    SCHEDULED_LATER = "SCHEDULED_LATER"
    QUEUE_PAUSED = "QUEUE_PAUSED"
    CONCURRENCY_LIMIT = "CONCURRENCY_LIMIT"
    NO_MATCH = "NO_MATCH"
    LEASED_BY_ANOTHER = "LEASED_BY_ANOTHER"
    TERMINAL = "TERMINAL"
    NOT_LEASABLE = "NOT_LEASABLE"
    WORKER_DRAINING = "WORKER_DRAINING"
    SERVER_DRAINING = "SERVER_DRAINING"


class JobEventReason(StrEnum):
    """What happened to a job."""

    UNKNOWN = "UNKNOWN"
    CREATED = "CREATED"
    ACQUIRED = "ACQUIRED"
    MOVED = "MOVED"
    ATTEMPT_FAILED = "ATTEMPT_FAILED"
    RELEASED = "RELEASED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"
    CANCEL_REQUESTED = "CANCEL_REQUESTED"
    PAUSED = "PAUSED"
    PAUSE_REQUESTED = "PAUSE_REQUESTED"
    RESUMED = "RESUMED"
    RETRIED = "RETRIED"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    DUE = "DUE"
    UPDATED = "UPDATED"
    DELETED = "DELETED"
    UNDELETED = "UNDELETED"


Word = TypeVar("Word", Phase, Directive, EmptyReason, JobEventReason)


def word_of(words: type[Word], numbers: dict[int, str], number: int) -> Word | None:
    """Return the word for an enum's number: None for 0, UNKNOWN for one this client does not know."""
    if number == 0:
        return None
    name = numbers.get(number, "UNKNOWN")
    return words[name] if name in words.__members__ else words["UNKNOWN"]
