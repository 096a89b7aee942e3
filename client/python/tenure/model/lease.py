"""Leases as their holders see them, and what holders ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from tenure.errors import TenureError
from tenure.model.document import Content
from tenure.model.enums import Directive, EmptyReason, Phase, numbered
from tenure.model.job import (
    Failure,
    Job,
    Progress,
    directive_of,
    job_from_proto,
    new_request_id,
    phase_of,
)
from tenure.model.times import DurationLike, seconds_of, time_of
from tenure.v1 import lease_pb2, lease_service_pb2

_EMPTY_REASONS = numbered(EmptyReason, lease_pb2.EmptyReason)


class Held(Protocol):
    """Whatever names a job and proves the lease: a Grant, a LeaseKey, a HeldLease."""

    @property
    def job_id(self) -> str: ...
    @property
    def token(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class LeaseKey:
    """A job and the token of its lease; without token where the lifecycle asks for no lease."""

    job_id: str
    token: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A lease as its holder got it.

    It is valid for `ttl` seconds from `sent_at`, this machine's `tenure.clock` when the request
    left plus what it waited at the server: never count from when the reply came, and not by
    `expire_time` unless the clocks agree.
    """

    job: Job
    token: bytes = field(repr=False)
    fence: int
    attempt: int
    last_attempt: bool
    expire_time: datetime
    ttl: float
    renew_after: float
    sent_at: float

    @property
    def job_id(self) -> str:
        return self.job.id


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseStatus:
    """A lease after a call of its holder; times as in Grant."""

    expire_time: datetime
    ttl: float
    renew_after: float
    sent_at: float
    version: int
    directive: Directive | None
    directive_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquire:
    """Who wants which jobs: the one named, or the next of some queues. Sent again it is the same call."""

    holder: str
    queues: Sequence[str] = ()
    job_id: str | None = None
    max_leases: int = 1
    lease_duration: DurationLike | None = None
    wait: DurationLike = 0
    kinds: Sequence[str] = ()
    states: Sequence[str] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    request_id: str = field(default_factory=new_request_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """A lease to extend; without duration as long as before."""

    lease: Held
    lease_duration: DurationLike | None = None
    progress: Progress | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Where a job goes, and what it brings along: a result or an error, never both."""

    lease: Held
    to: str
    result: Content = field(default=None, repr=False)
    error: Failure | None = None
    progress: Progress | None = None
    checkpoint: Content = field(default=None, repr=False)
    phase_index: int | None = None
    expected_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A lease to give back; the job rests `delay` seconds before it is handed out again."""

    lease: Held
    delay: DurationLike | None = None
    count_attempt: bool = False


class Acquired(NamedTuple):
    """What was granted; or, with no grants, why nothing was and in how many seconds to ask again."""

    grants: Sequence[Grant]
    empty_reason: EmptyReason | None
    poll_after: float
    replayed: bool


class Transitioned(NamedTuple):
    """The job afterwards, whether the same move had been made before, and what acquire_next brought."""

    job: Job
    replayed: bool
    grants: Sequence[Grant]


class ItemResult(NamedTuple):
    """What became of one job of many."""

    state: str
    phase: Phase
    version: int
    replayed: bool


class TransitionedMany(NamedTuple):
    """What became of each job, in the order asked, and what acquire_next brought."""

    results: Sequence[ItemResult | TenureError]
    grants: Sequence[Grant]


def grant_from_proto(message: lease_pb2.Grant, sent_at: float) -> Grant:
    return Grant(
        job=job_from_proto(message.job),
        token=message.token,
        fence=message.fence,
        attempt=message.attempt,
        last_attempt=message.last_attempt,
        expire_time=time_of(message.expire_time),
        ttl=seconds_of(message.ttl),
        renew_after=seconds_of(message.renew_after),
        sent_at=sent_at,
    )


def lease_status_from_proto(message: lease_pb2.LeaseStatus, sent_at: float) -> LeaseStatus:
    return LeaseStatus(
        expire_time=time_of(message.expire_time),
        ttl=seconds_of(message.ttl),
        renew_after=seconds_of(message.renew_after),
        sent_at=sent_at,
        version=message.version,
        directive=directive_of(message.directive),
        directive_reason=message.directive_reason,
    )


def acquired_from_proto(message: lease_service_pb2.AcquireLeaseResponse, sent_at: float) -> Acquired:
    reason = message.empty_reason
    began_at = sent_at + seconds_of(message.waited)
    return Acquired(
        grants=tuple(grant_from_proto(grant, began_at) for grant in message.grants),
        empty_reason=_EMPTY_REASONS.get(reason, EmptyReason.UNKNOWN) if reason else None,
        poll_after=seconds_of(message.poll_after),
        replayed=message.replayed,
    )


def item_result_from_proto(
    message: lease_service_pb2.TransitionResult | lease_service_pb2.ReleaseResult,
) -> ItemResult:
    return ItemResult(message.state, phase_of(message.phase), message.version, message.replayed)
