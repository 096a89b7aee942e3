"""What workers are told, and what becomes of grants that no reply has room for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import grpc.aio
import pytest

from tenure.v1 import job_pb2, lease_pb2
from tenure.v1 import lease_service_pb2 as pb
from tenure.v1.lease_service_pb2_grpc import LeaseServiceStub
from tenure_server.domain.command import Acquire, Release, Renew
from tenure_server.domain.errors import LeaseLost
from tenure_server.domain.lease_rules import EmptyReason, renew
from tenure_server.rpc.convert_lease import grant_to_proto, write_lease_status
from tenure_server.service.calls import AcquireOutcome, Grant, JobOutcome
from tenure_server.service.leases import AcquireAnswer
from tests.rpc.edge import AT, CATALOGUE, JOB_ID, LEASE, TOKEN, grant, head_of, leased, record, serving

STANDARD = CATALOGUE.require("standard")
ACQUIRE = pb.AcquireLeaseRequest(holder="h", queues=["q"], max_leases=10)


@dataclass
class Leases:
    """Gives the grants it has, and remembers what it was asked."""

    grants: Sequence[Grant] = ()
    reason: EmptyReason | None = None
    moved: JobOutcome | Exception = field(default_factory=lambda: outcome())
    asked: list[Any] = field(default_factory=list)

    async def acquire(
        self, caller: object, asked: Acquire, *, wait: timedelta, request_id: str
    ) -> AcquireAnswer:
        self.asked.append(asked)
        return AcquireAnswer(
            AcquireOutcome(self.grants, self.reason, AT), timedelta(seconds=2), timedelta(seconds=3)
        )

    async def act(self, caller: object, commands: Sequence[Any], *, wants_job: bool = False) -> list[Any]:
        self.asked.extend(commands)
        return [self.moved for _ in commands]

    async def move(
        self, caller: object, moves: Sequence[Any], acquire_next: Acquire | None, **_: object
    ) -> tuple[list[Any], Sequence[Grant]]:
        self.asked.append(acquire_next)
        return [self.moved for _ in moves], self.grants

    @property
    def released(self) -> list[UUID]:
        return [ask[0] for ask in self.asked if isinstance(ask, tuple) and isinstance(ask[1], Release)]


def outcome(at: datetime = AT, command: Renew | None = None, **said: Any) -> JobOutcome:
    """A renewal at this time of a lease granted at AT."""
    row = leased(**said)
    decision = renew(command or Renew(TOKEN), head_of(row), STANDARD, at)
    return JobOutcome(head_of(row), decision, at, record(row))


def grants(count: int, size: int) -> list[Grant]:
    """Grants of different jobs with payloads of that size."""
    return [grant(leased(id=UUID(int=n)), b"x" * size) for n in range(count)]


def status(told: JobOutcome) -> lease_pb2.LeaseStatus:
    message = lease_pb2.LeaseStatus()
    write_lease_status(message, told)
    return message


def test_a_fresh_grant_has_its_whole_lease_ahead() -> None:
    told = grant_to_proto(grant(), AT, CATALOGUE)

    assert (told.ttl.ToTimedelta(), told.renew_after.ToTimedelta()) == (LEASE, LEASE / 3)
    assert told.expire_time == job_pb2.Lease(expire_time=AT + LEASE).expire_time
    assert (told.fence, told.attempt, told.last_attempt, told.token) == (1, 1, True, TOKEN)
    assert told.job.HasField("payload")


def test_a_grant_told_again_has_what_is_left_of_it() -> None:
    told = grant_to_proto(grant(), AT + LEASE / 2, CATALOGUE)

    assert (told.ttl.ToTimedelta(), told.renew_after.ToTimedelta()) == (LEASE / 2, LEASE / 6)


def test_a_renewed_lease_is_counted_from_the_renewal() -> None:
    told = status(outcome(AT + timedelta(seconds=20)))

    assert told.ttl.ToTimedelta() == LEASE
    assert told.expire_time == job_pb2.Lease(expire_time=AT + timedelta(seconds=80)).expire_time
    assert told.renew_after.ToTimedelta() == LEASE / 3
    assert told.version == 2


def test_a_lease_not_extended_is_to_be_renewed_before_it_ends() -> None:
    told = outcome(AT + timedelta(seconds=54))
    untouched = told._replace(decision=told.decision._replace(change=None))

    assert status(untouched).ttl.ToTimedelta() == timedelta(seconds=6)
    assert status(untouched).renew_after.ToTimedelta() == timedelta(seconds=2)


def test_a_shorter_renewal_tells_the_longer_lease_that_is_held() -> None:
    told = status(outcome(AT, Renew(TOKEN, timedelta(seconds=9))))

    assert told.ttl.ToTimedelta() == LEASE
    assert told.renew_after.ToTimedelta() == timedelta(seconds=3)


@pytest.mark.parametrize("directive,because", [("CANCEL", "late"), ("PAUSE", ""), (None, "")])
def test_a_holder_is_told_what_is_asked_of_it(directive: str | None, because: str) -> None:
    answer = status(outcome(directive=directive, cancel_reason="late"))

    assert job_pb2.Directive.Name(answer.directive) == f"DIRECTIVE_{directive or 'UNSPECIFIED'}"
    assert answer.directive_reason == because


async def test_an_empty_answer_says_why_and_when_to_ask_again() -> None:
    async with serving(leases=Leases(reason=EmptyReason.QUEUE_PAUSED)) as channel:
        reply = await LeaseServiceStub(channel).AcquireLease(ACQUIRE)

    assert reply.empty_reason == lease_pb2.EMPTY_REASON_QUEUE_PAUSED
    assert reply.poll_after.ToTimedelta() == timedelta(seconds=2)


async def test_an_answer_with_grants_says_how_long_it_had_rested() -> None:
    async with serving(leases=Leases(grants(1, 0))) as channel:
        reply = await LeaseServiceStub(channel).AcquireLease(ACQUIRE)

    assert reply.waited.ToTimedelta() == timedelta(seconds=3)
    assert not reply.HasField("poll_after")


async def test_defaults_are_filled_in_for_an_acquire() -> None:
    leases = Leases()
    async with serving(leases=leases) as channel:
        await LeaseServiceStub(channel).AcquireLease(pb.AcquireLeaseRequest(holder="h", queues=["q"]))

    assert leases.asked == [Acquire("h", None, ("q",))]


async def test_what_no_reply_has_room_for_is_given_back() -> None:
    leases = Leases(grants(6, 1_000_000))
    async with serving(leases=leases) as channel:
        reply = await LeaseServiceStub(channel).AcquireLease(ACQUIRE)

    assert [given.job.id for given in reply.grants] == [str(UUID(int=n)) for n in range(3)]
    assert leases.released == [UUID(int=n) for n in range(3, 6)]


async def test_one_job_with_the_largest_documents_always_fits() -> None:
    largest = {
        "payload": b"x" * 1024 * 1024,
        "checkpoint": b"x" * 1024 * 1024,
        "result": b"x" * 1024 * 1024,
        "error": b'{"code":"","message":"' + b"x" * 65536 + b'","retryable":true,"details":{}}',
    }
    documents = {
        kind: grant().record.documents["payload"]._replace(content=said) for kind, said in largest.items()
    }
    labels = {f"{n:063}": "\N{GRINNING FACE}" * 256 for n in range(64)}
    leases = Leases([Grant(record(leased(), documents, **labels), TOKEN)])
    async with serving(leases=leases) as channel:
        reply = await LeaseServiceStub(channel).AcquireLease(ACQUIRE)

    assert len(reply.grants) == 1
    assert not leases.released


async def test_the_next_leases_come_with_a_transition() -> None:
    leases = Leases(grants(2, 10))
    request = pb.TransitionRequest(job_id=str(JOB_ID), token=TOKEN, to="succeeded", acquire_next=ACQUIRE)
    async with serving(leases=leases) as channel:
        reply = await LeaseServiceStub(channel).Transition(request)

    assert len(reply.grants) == 2
    assert reply.grants[0].ttl.ToTimedelta() == LEASE
    assert reply.job.id == str(JOB_ID)
    assert not leases.released


async def test_the_next_leases_of_a_refused_transition_are_given_back() -> None:
    leases = Leases(grants(2, 10), moved=LeaseLost(JOB_ID, "expired"))
    request = pb.TransitionRequest(job_id=str(JOB_ID), token=TOKEN, to="succeeded", acquire_next=ACQUIRE)
    async with serving(leases=leases) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await LeaseServiceStub(channel).Transition(request)

    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert leases.released == [UUID(int=0), UUID(int=1)]


async def test_a_batch_answers_in_the_order_it_was_asked() -> None:
    leases = Leases()
    items = [pb.RenewRequest(job_id=job_id, token=TOKEN) for job_id in (str(JOB_ID), "odd", str(JOB_ID))]
    async with serving(leases=leases) as channel:
        reply = await LeaseServiceStub(channel).BatchRenew(pb.BatchRenewRequest(items=items))

    assert [result.HasField("error") for result in reply.results] == [False, True, False]
    assert [result.lease.version for result in reply.results] == [2, 0, 2]
