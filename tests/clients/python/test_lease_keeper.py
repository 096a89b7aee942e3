"""A keeper renews in time, gives up in time, and is told apart from its network."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from hypothesis import given
from hypothesis import strategies as st

from tenure import Grant, HeldLease, LeaseKeeper, Progress, clock, errors
from tenure.held_lease import _margin
from tenure.lease_renewals import Answer
from tenure.model.job import job_from_proto
from tenure.v1 import job_pb2, lease_pb2, lease_service_pb2
from tests.clients.python.fake_server import FakeServer, refusal

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")
AWAY = errors.Unavailable("nobody answers")


class Desk:
    """A keeper with a clock and a network that the test moves by hand."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.calls: list[tuple[list[lease_service_pb2.RenewRequest], float]] = []
        self._answer: Callable[[Answer], None] | None = None
        self.keeper = LeaseKeeper("nowhere:1", send=self._send, now=lambda: self.time)

    def _send(
        self,
        items: Any,
        timeout: float,
        answered: Callable[[Answer], None],
    ) -> None:
        assert self._answer is None, "one call at a time"
        self.calls.append((list(items), timeout))
        self._answer = answered

    def hold(self, job_id: str = "a", *, ttl: float = 30, fence: int = 1, **more: Any) -> HeldLease:
        return self.keeper.hold(self.grant(job_id, ttl=ttl, fence=fence), **more)

    def grant(self, job_id: str = "a", *, ttl: float = 30, fence: int = 1) -> Grant:
        return Grant(
            job=job_from_proto(job_pb2.Job(id=job_id)),
            token=b"token",
            fence=fence,
            attempt=1,
            last_attempt=False,
            expire_time=datetime(2026, 1, 1, tzinfo=UTC),
            ttl=ttl,
            renew_after=ttl / 3,
            sent_at=self.time,
        )

    def at(self, seconds: float) -> float | None:
        """Move the clock to this long after the start, and tick."""
        self.time = 1000.0 + seconds
        return self.keeper.tick()

    @property
    def is_asked(self) -> bool:
        return self._answer is not None

    def answer(self, answer: Answer) -> None:
        assert self._answer is not None, "nothing was sent"
        answered, self._answer = self._answer, None
        answered(answer)
        self.keeper.tick()

    def renews(self, ttl: float = 30, directive: job_pb2.Directive = job_pb2.DIRECTIVE_UNSPECIFIED) -> None:
        lease = lease_pb2.LeaseStatus(
            ttl=_duration(ttl), renew_after=_duration(ttl / 3), directive=directive, directive_reason="why"
        )
        self.answer([lease_service_pb2.RenewResult(lease=lease) for _ in self.calls[-1][0]])

    def refuses(self, *statuses: Any) -> None:
        self.answer([lease_service_pb2.RenewResult(error=status) for status in statuses])


def _duration(seconds: float) -> Duration:
    return Duration(seconds=int(seconds), nanos=round(seconds % 1 * 1e9))


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_lease_is_renewed_at_a_third_of_its_length(desk: Desk) -> None:
    desk.hold(ttl=30)

    assert desk.at(8.4) is not None
    assert not desk.calls

    desk.at(10)
    assert [item.job_id for item in desk.calls[0][0]] == ["a"]
    assert desk.calls[0][0][0].token == b"token"


def test_the_keeper_says_when_to_come_again(desk: Desk) -> None:
    assert desk.at(0) is None

    desk.hold(ttl=30)

    pause = desk.at(0)
    assert pause is not None
    assert 8.4 < pause <= 10


def test_a_renewal_counts_from_when_it_was_sent_not_from_the_reply(desk: Desk) -> None:
    lease = desk.hold(ttl=30)
    desk.at(10)
    desk.time = 1015.0

    desk.renews(ttl=30)

    assert lease.remaining() == pytest.approx(10 + 27 - 15)


def test_a_lease_is_given_up_before_the_server_can_give_it_away(desk: Desk) -> None:
    told: list[HeldLease] = []
    lease = desk.hold(ttl=30, on_change=told.append)
    desk.at(10)

    desk.at(26.9)
    assert not lease.lost.is_set()

    desk.at(27)
    assert lease.lost.is_set()
    assert told == [lease]
    with pytest.raises(errors.LeaseLost, match="this machine's clock"):
        lease.check()


def test_a_holder_sees_the_end_even_when_the_keeper_does_not_run(desk: Desk) -> None:
    lease = desk.hold(ttl=30)
    lease.check()

    desk.time += 27

    with pytest.raises(errors.LeaseLost):
        lease.check()
    assert lease.remaining() == 0


def test_while_an_answer_is_awaited_the_keeper_wakes_for_the_end_of_the_lease(desk: Desk) -> None:
    desk.hold(ttl=30)

    assert desk.at(10) == pytest.approx(17)


def test_a_failed_renewal_is_tried_again_until_the_local_end(desk: Desk) -> None:
    lease = desk.hold(ttl=30)
    desk.at(10)

    while not lease.lost.is_set():
        pause = desk.keeper.tick()
        if desk.is_asked:
            desk.answer(AWAY)
        else:
            desk.time += max(pause or 0, 0.001)

    assert len(desk.calls) > 5
    assert 1027 <= desk.time < 1027.1


def test_a_renewal_after_failures_saves_the_lease(desk: Desk) -> None:
    lease = desk.hold(ttl=30)
    desk.at(10)
    desk.answer(AWAY)
    desk.at(20)

    desk.renews()

    assert lease.remaining() == pytest.approx(27)


def test_a_call_leaves_time_for_another_one_before_the_lease_ends(desk: Desk) -> None:
    desk.hold(ttl=30)
    desk.at(10)

    assert desk.calls[0][1] == pytest.approx(17 / 2)


def test_lease_lost_is_final_at_once(desk: Desk) -> None:
    lease = desk.hold()
    desk.at(10)

    desk.refuses(LOST)

    assert lease.lost.is_set()
    assert desk.at(20) is None
    assert len(desk.calls) == 1
    with pytest.raises(errors.LeaseLost, match="refused by the server"):
        lease.check()


def test_one_refused_lease_leaves_the_others_alone(desk: Desk) -> None:
    lost, kept = desk.hold("a"), desk.hold("b")
    desk.at(10)
    renewed = lease_service_pb2.RenewResult(lease=lease_pb2.LeaseStatus(ttl=_duration(30)))

    desk.answer([lease_service_pb2.RenewResult(error=LOST), renewed])

    assert lost.lost.is_set()
    assert kept.remaining() == pytest.approx(27)


def test_a_refusal_that_may_pass_is_tried_again(desk: Desk) -> None:
    lease = desk.hold()
    desk.at(10)

    desk.refuses(refusal(grpc.StatusCode.UNAVAILABLE, "JOB_BUSY"))
    desk.at(13)

    assert len(desk.calls) == 2
    assert not lease.lost.is_set()


def test_leases_taken_at_different_times_are_renewed_in_one_call(desk: Desk) -> None:
    for second in range(4):
        desk.time = 1000.0 + second
        desk.hold(str(second))

    desk.at(10)

    assert len(desk.calls) == 1
    assert len(desk.calls[0][0]) == 4


def test_more_leases_than_a_call_takes_go_one_call_after_another(desk: Desk) -> None:
    for number in range(501):
        desk.hold(str(number))
    desk.at(10)

    desk.renews()

    assert [len(items) for items, _ in desk.calls] == [500, 1]


def test_what_is_answered_after_the_own_completion_is_ignored(desk: Desk) -> None:
    told: list[HeldLease] = []
    lease = desk.hold(on_change=told.append)
    desk.at(10)
    desk.keeper.drop(lease)

    desk.refuses(LOST)

    assert not lease.lost.is_set()
    assert not told


def test_an_answer_about_a_former_lease_does_not_touch_the_new_one_of_the_same_job(desk: Desk) -> None:
    former = desk.hold("a", fence=1)
    desk.at(10)
    desk.keeper.drop(former)
    now = desk.hold("a", fence=2)

    desk.refuses(LOST)

    assert not now.lost.is_set()


def test_the_same_grant_again_is_the_same_lease(desk: Desk) -> None:
    grant = desk.grant()

    assert desk.keeper.hold(grant) is desk.keeper.hold(grant)


def test_cancel_and_pause_come_with_the_renewal(desk: Desk) -> None:
    told: list[HeldLease] = []
    lease = desk.hold(on_change=told.append)
    desk.at(10)

    desk.renews(directive=job_pb2.DIRECTIVE_PAUSE)
    assert lease.paused.is_set()
    assert not lease.cancelled.is_set()

    desk.at(20)
    desk.renews(directive=job_pb2.DIRECTIVE_CANCEL)
    assert lease.cancelled.is_set()
    assert lease.directive_reason == "why"
    assert told == [lease, lease]


def test_a_pause_that_was_taken_back_is_over(desk: Desk) -> None:
    lease = desk.hold()
    desk.at(10)
    desk.renews(directive=job_pb2.DIRECTIVE_PAUSE)

    desk.at(20)
    desk.renews()

    assert not lease.paused.is_set()


def test_of_many_progress_reports_the_last_one_is_sent_within_about_a_second(desk: Desk) -> None:
    lease = desk.hold()
    for done in range(100):
        desk.keeper.report(lease, Progress("copy", done, 100))

    desk.at(0.1)
    assert not desk.calls

    desk.at(0.2)
    assert desk.calls[0][0][0].progress == job_pb2.Progress(label="copy", done=99, total=100)

    desk.renews()
    desk.keeper.report(lease, Progress("copy", 100, 100))
    desk.at(1.1)
    assert len(desk.calls) == 1
    desk.at(1.3)
    assert desk.calls[1][0][0].progress.done == 100


def test_progress_that_did_not_arrive_is_sent_again_unless_there_is_a_newer_one(desk: Desk) -> None:
    lease = desk.hold()
    desk.keeper.report(lease, Progress("copy", 1, 9))
    desk.at(0.2)
    desk.answer(AWAY)

    desk.at(9)

    assert desk.calls[1][0][0].progress.done == 1


def test_a_job_that_takes_no_progress_is_renewed_without_it(desk: Desk) -> None:
    lease = desk.hold()
    desk.keeper.report(lease, Progress("copy", 1, 9))
    desk.at(0.2)

    desk.refuses(refusal(grpc.StatusCode.FAILED_PRECONDITION, "UNEXPECTED_STATE"))

    assert len(desk.calls) == 2
    assert not desk.calls[1][0][0].HasField("progress")
    assert not lease.lost.is_set()


def test_a_fault_in_a_callback_hurts_no_other_lease(desk: Desk) -> None:
    def fault(_: HeldLease) -> None:
        raise ZeroDivisionError

    told: list[HeldLease] = []
    desk.hold("a", on_change=fault)
    second = desk.hold("b", on_change=told.append)
    desk.at(10)

    desk.renews()

    assert told == [second]


def test_health_is_the_age_of_the_last_renewal_while_a_lease_is_held(desk: Desk) -> None:
    assert desk.keeper.last_success_age() == 0
    lease = desk.hold()
    desk.at(10)
    assert desk.keeper.last_success_age() == 10

    desk.renews()
    assert desk.keeper.last_success_age() == 0

    desk.time += 5
    desk.keeper.drop(lease)
    assert desk.keeper.last_success_age() == 0


@given(st.floats(0.1, 86_400))
def test_the_margin_leaves_most_of_the_lease(duration: float) -> None:
    margin = _margin(duration)

    assert margin >= duration / 10
    assert margin <= duration / 5 + 1e-9
    assert margin >= min(0.5, duration / 5)


@pytest.fixture
def spinning() -> Iterator[None]:
    """User code that keeps the processor busy and never waits."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=spin) for _ in range(2)]
    for thread in threads:
        thread.start()
    yield
    over.set()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("spinning")
async def test_the_thread_renews_over_a_real_channel_beside_busy_user_code(fake: FakeServer) -> None:
    async def renew(request: Any, _: Any) -> Any:
        lease = lease_pb2.LeaseStatus(ttl=_duration(30), directive=job_pb2.DIRECTIVE_CANCEL)
        results = [lease_service_pb2.RenewResult(lease=lease) for _ in request.items]
        return lease_service_pb2.BatchRenewResponse(results=results)

    fake.answers("BatchRenew", renew)
    grant = replace(Desk().grant(), sent_at=clock.now(), renew_after=0.05)

    def hold() -> bool:
        with LeaseKeeper(fake.target) as keeper:
            lease = keeper.hold(grant)
            return lease.cancelled.wait(20) and not lease.lost.is_set()

    assert await asyncio.to_thread(hold)
