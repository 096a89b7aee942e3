"""What goes into a flush, and what comes out of it for whoever asked."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

from tenure_server.domain.change import Decision
from tenure_server.domain.command import Acquire, Command, Release, Renew, Report, SaveCheckpoint
from tenure_server.domain.job import Job, JobHead, JobRecord, NewJob
from tenure_server.domain.lease_rules import EmptyReason


class Lane(Enum):
    """Calls of one lane share its room in a flush; no lane can take another's."""

    KEEP_ALIVE = "keep alive"
    CHANGE = "change"
    CREATE = "create"
    ACQUIRE = "acquire"


class Reply:
    """Where the outcomes of the calls of one request gather; the last one wakes the caller."""

    __slots__ = ("_missing", "future", "outcomes")

    def __init__(self, count: int) -> None:
        self.outcomes: list[Any] = [None] * count
        self.future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._missing = count

    def settle(self, index: int, outcome: object) -> None:
        """Put an outcome in its place; an exception is an outcome too."""
        self.outcomes[index] = outcome
        self._missing -= 1
        if self._missing == 0 and not self.future.done():
            self.future.set_result(self.outcomes)


@dataclass(slots=True, eq=False)
class Call:
    """One item of a flush. `deadline` is the loop's time after which nobody waits for it any more."""

    scope: str
    deadline: float
    reply: Reply = field(init=False, repr=False)
    index: int = field(init=False, default=0)

    @property
    def lane(self) -> Lane:
        """Which room it takes."""
        raise NotImplementedError

    @property
    def weight(self) -> int:
        """How much of that room."""
        return 1

    @property
    def names_job(self) -> UUID | None:
        """The job it names: a flush carries one call per job at most."""
        return None

    def settle(self, outcome: object) -> None:
        """Answer whoever asked."""
        self.reply.settle(self.index, outcome)


@dataclass(slots=True, eq=False)
class JobCall(Call):
    """A command for one job; `wants_job` has the row read afterwards."""

    job_id: UUID
    command: Command
    wants_job: bool = False
    request_id: str = ""

    @property
    def lane(self) -> Lane:
        kept = isinstance(self.command, Renew | Report | Release | SaveCheckpoint)
        return Lane.KEEP_ALIVE if kept else Lane.CHANGE

    @property
    def names_job(self) -> UUID | None:
        return self.job_id


@dataclass(slots=True, eq=False)
class CreateCall(Call):
    """A job to be created, perhaps under an idempotency key, of which only the hash is stored."""

    new: NewJob
    key: str = field(default="", repr=False)
    key_hash: bytes | None = None
    wants_job: bool = False
    request_id: str = ""

    @property
    def lane(self) -> Lane:
        return Lane.CREATE


@dataclass(slots=True, eq=False)
class AcquireCall(Call):
    """A worker's ask for leases; `queues` are those of the ask, or that of the job it names."""

    asked: Acquire
    queues: tuple[str, ...]
    request_id: str = ""

    @property
    def lane(self) -> Lane:
        return Lane.ACQUIRE

    @property
    def weight(self) -> int:
        return self.asked.max_leases

    @property
    def names_job(self) -> UUID | None:
        return self.asked.job_id


class JobOutcome(NamedTuple):
    """What became of a command: the job before it, the decision, and the row if it was wanted."""

    head: JobHead
    decision: Decision
    at: datetime
    record: JobRecord | None = None

    @property
    def replayed(self) -> bool:
        """Whether nothing had to be changed."""
        return self.decision.change is None

    @property
    def version(self) -> int:
        """The job's version now."""
        change = self.decision.change
        return self.head.version if change is None or change.silent else self.head.version + 1

    @property
    def state(self) -> str:
        """The job's state now."""
        change = self.decision.change
        return self.head.state if change is None else change.state


class CreateOutcome(NamedTuple):
    """What became of a creation: the job as it is now, and whether this call made it."""

    job_id: UUID
    created: bool
    state: str
    version: int
    record: JobRecord | None = None


class Grant(NamedTuple):
    """A lease as its holder gets it."""

    record: JobRecord
    token: bytes

    @property
    def job(self) -> Job:
        """The job's row."""
        return self.record.job


class AcquireOutcome(NamedTuple):
    """What was granted, or why nothing was; no reason means that nothing was ready.

    `surplus` was leased as well but has no room in a reply: it is to be given back.
    """

    grants: Sequence[Grant]
    reason: EmptyReason | None
    at: datetime | None
    replayed: bool = False
    surplus: Sequence[Grant] = ()
