"""The words of the API, without the prefixes that protobuf needs."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper


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


Word = TypeVar("Word", bound=StrEnum)


def numbered(words: type[Word], proto_enum: EnumTypeWrapper) -> dict[int, Word]:
    """Return the words by the numbers that the API gives them; 0, which means unset, has none."""
    prefix = re.sub("(?<=[a-z])(?=[A-Z])", "_", proto_enum.DESCRIPTOR.name).upper() + "_"
    names = {number: name.removeprefix(prefix) for name, number in proto_enum.items()}
    return {number: words[name] for number, name in names.items() if name in words.__members__}
