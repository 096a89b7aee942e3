"""What the clients do beyond sending one request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from tenure import (
    AsyncClient,
    Client,
    CreateResult,
    ItemResult,
    LeaseKey,
    LeaseStatus,
    NewJob,
    Phase,
    Renewal,
    Transition,
    clock,
    errors,
)
from tenure.model.lease import Acquire
from tenure.v1 import job_pb2, job_service_pb2, lease_pb2, lease_service_pb2, queue_service_pb2
from tests.clients.python.fake_server import FakeServer, refusal, refuse, refuses, replies

JOB_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


async def test_many_jobs_go_in_several_calls_and_each_has_its_own_result(fake: FakeServer) -> None:
    async def create(request: Any, _: Any) -> Any:
        results = [job_service_pb2.CreateJobResult(job_id=JOB_ID, created=True) for _ in request.items]
        results[-1] = job_service_pb2.CreateJobResult(
            error=refusal(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="queue")
        )
        return job_service_pb2.BatchCreateJobsResponse(results=results)

    fake.answers("BatchCreateJobs", create)

    async with AsyncClient(fake.target) as client:
        results = await client.create_jobs(NewJob() for _ in range(1200))

    assert [len(request.items) for request in fake.sent("BatchCreateJobs")] == [500, 500, 200]
    assert results[0] == CreateResult(JOB_ID, True, "", 0)
    refused = [index for index, result in enumerate(results) if isinstance(result, errors.InvalidField)]
    assert refused == [499, 999, 1199]


async def test_a_list_goes_on_page_by_page_with_the_same_filters(fake: FakeServer) -> None:
    async def page(request: Any, _: Any) -> Any:
        number = int(request.page_token or 0)
        return job_service_pb2.ListJobsResponse(
            jobs=[job_pb2.Job(id=f"{number}-{place}") for place in range(2)],
            next_page_token=str(number + 1) if number < 2 else "",
        )

    fake.answers("ListJobs", page)

    async with AsyncClient(fake.target) as client:
        ids = [job.id async for job in client.list_jobs(queue="q", phases=[Phase.WAITING], page_size=2)]

    assert ids == ["0-0", "0-1", "1-0", "1-1", "2-0", "2-1"]
    assert {request.queue for request in fake.sent("ListJobs")} == {"q"}
    assert {tuple(request.phases) for request in fake.sent("ListJobs")} == {(job_pb2.PHASE_WAITING,)}


async def test_the_blocking_client_lists_the_same(fake: FakeServer) -> None:
    fake.answers("ListJobs", replies(job_service_pb2.ListJobsResponse(jobs=[job_pb2.Job(id="a")])))

    def ids() -> list[str]:
        with Client(fake.target) as client:
            return [job.id for job in client.list_jobs()]

    assert await asyncio.to_thread(ids) == ["a"]


async def test_waiting_goes_on_over_calls_and_a_draining_server(fake: FakeServer) -> None:
    async def wait(request: Any, context: Any) -> Any:
        number = len(fake.sent("WaitJob"))
        if number == 2:
            # Not UNAVAILABLE, which gRPC itself would try again.
            await refuse(context, refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_WAITERS"))
        return job_service_pb2.WaitJobResponse(
            job=job_pb2.Job(id=JOB_ID, state="succeeded"), satisfied=number == 3
        )

    fake.answers("WaitJob", wait)

    async with AsyncClient(fake.target) as client:
        job = await client.wait_job(JOB_ID)

    assert job.state == "succeeded"
    assert len(fake.sent("WaitJob")) == 3


async def test_waiting_ends_with_a_timeout_error(fake: FakeServer) -> None:
    fake.answers("WaitJob", replies(job_service_pb2.WaitJobResponse(job=job_pb2.Job(state="running"))))

    async with AsyncClient(fake.target) as client:
        with pytest.raises(TimeoutError, match="still running"):
            await client.wait_job(JOB_ID, timeout=0)


async def test_waiting_for_a_job_that_is_not_there_ends_at_once(fake: FakeServer) -> None:
    fake.answers("WaitJob", refuses(refusal(grpc.StatusCode.NOT_FOUND, "JOB_NOT_FOUND")))

    async with AsyncClient(fake.target) as client:
        with pytest.raises(errors.JobNotFound):
            await client.wait_job(JOB_ID)


def _watch(fake: FakeServer, *, end: grpc.StatusCode, reason: str) -> Any:
    async def watch(_: Any, context: Any) -> AsyncIterator[Any]:
        turn = len(fake.sent("WatchJobs"))
        yield job_service_pb2.WatchJobsResponse(
            cursor=f"{turn}-event", event=job_pb2.JobEvent(job_id=JOB_ID, version=turn)
        )
        yield job_service_pb2.WatchJobsResponse(cursor=f"{turn}-mark")
        if turn == 1:
            await refuse(context, refusal(end, reason))

    return watch


@pytest.mark.parametrize(
    "code, reason",
    [
        (grpc.StatusCode.UNAVAILABLE, "SERVER_DRAINING"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER"),
        (grpc.StatusCode.CANCELLED, ""),
        (grpc.StatusCode.DEADLINE_EXCEEDED, ""),
    ],
)
async def test_a_watch_goes_on_from_its_last_cursor_however_the_stream_ends(
    fake: FakeServer, code: grpc.StatusCode, reason: str
) -> None:
    fake.answers("WatchJobs", _watch(fake, end=code, reason=reason))
    seen = []

    async with AsyncClient(fake.target) as client:
        async for watched in client.watch_jobs("start", queue="q"):
            seen.append((watched.event.version, watched.cursor))
            if len(seen) == 3:
                break

    assert seen == [(1, "1-event"), (2, "2-event"), (3, "3-event")]
    assert [request.cursor for request in fake.sent("WatchJobs")] == ["start", "1-mark", "2-mark"]


async def test_a_watch_from_a_pruned_position_says_so(fake: FakeServer) -> None:
    async def watch(request: Any, context: Any) -> AsyncIterator[Any]:
        if request.cursor == "old":
            await refuse(context, refusal(grpc.StatusCode.OUT_OF_RANGE, "WATCH_POSITION_TOO_OLD"))
        yield job_service_pb2.WatchJobsResponse()

    fake.answers("WatchJobs", watch)

    async with AsyncClient(fake.target) as client:
        with pytest.raises(errors.WatchPositionTooOld):
            await anext(client.watch_jobs("old"))


async def test_the_blocking_client_watches_the_same(fake: FakeServer) -> None:
    fake.answers("WatchJobs", _watch(fake, end=grpc.StatusCode.UNAVAILABLE, reason="SERVER_DRAINING"))

    def cursors() -> list[str]:
        with Client(fake.target) as client:
            watch = client.watch_jobs()
            return [next(watch).cursor, next(watch).cursor]

    assert await asyncio.to_thread(cursors) == ["1-event", "2-event"]


def _granted(ttl: float) -> lease_service_pb2.AcquireLeaseResponse:
    grant = lease_pb2.Grant(
        job=job_pb2.Job(id=JOB_ID),
        token=b"t",
        fence=7,
        ttl=Duration(seconds=int(ttl), nanos=int(ttl % 1 * 1e9)),
    )
    return lease_service_pb2.AcquireLeaseResponse(grants=[grant])


async def test_a_grant_is_counted_from_when_the_request_was_sent(fake: FakeServer) -> None:
    fake.answers("AcquireLease", replies(_granted(30)))
    before = clock.now()

    async with AsyncClient(fake.target) as client:
        acquired = await client.acquire("me", queues=["q"])

    (grant,) = acquired.grants
    assert before <= grant.sent_at <= clock.now()
    assert (grant.job_id, grant.token, grant.fence, grant.ttl) == (JOB_ID, b"t", 7, 30.0)


async def test_a_grant_that_came_after_a_long_wait_is_counted_from_when_the_wait_ended(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: 100.0)
    reply = _granted(30)
    reply.waited.CopyFrom(Duration(seconds=20))
    fake.answers("AcquireLease", replies(reply))

    async with AsyncClient(fake.target) as client:
        acquired = await client.acquire("me", queues=["q"], wait=25)

    (grant,) = acquired.grants
    assert (grant.sent_at, grant.ttl) == (120.0, 30.0)


async def test_an_acquire_can_be_sent_again_as_it_was(fake: FakeServer) -> None:
    fake.answers("AcquireLease", replies(lease_service_pb2.AcquireLeaseResponse()))
    wanted = Acquire(holder="me", queues=["q"], max_leases=5)

    async with AsyncClient(fake.target) as client:
        await client.acquire_leases(wanted)
        await client.acquire_leases(wanted)

    first, second = fake.sent("AcquireLease")
    assert first == second
    assert first.request_id


async def test_items_of_a_batch_are_refused_one_by_one(fake: FakeServer) -> None:
    lost = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")
    results = [
        lease_service_pb2.RenewResult(lease=lease_pb2.LeaseStatus(version=4)),
        lease_service_pb2.RenewResult(error=lost),
    ]
    fake.answers("BatchRenew", replies(lease_service_pb2.BatchRenewResponse(results=results)))

    async with AsyncClient(fake.target) as client:
        kept, refused = await client.renew_many(
            [Renewal(lease=LeaseKey("a", b"1")), Renewal(lease=LeaseKey("b", b"2"))]
        )

    assert isinstance(kept, LeaseStatus)
    assert kept.version == 4
    assert isinstance(refused, errors.LeaseLost)


async def test_the_next_jobs_are_asked_for_with_the_last_call_of_many_transitions(fake: FakeServer) -> None:
    async def move(request: Any, _: Any) -> Any:
        results = [lease_service_pb2.TransitionResult(state=item.to) for item in request.items]
        grants = _granted(30).grants if request.HasField("acquire_next") else ()
        return lease_service_pb2.BatchTransitionResponse(results=results, grants=grants)

    fake.answers("BatchTransition", move)
    moves = [Transition(lease=LeaseKey(str(number), b"t"), to="succeeded") for number in range(501)]

    async with AsyncClient(fake.target) as client:
        moved = await client.transition_many(moves, Acquire(holder="me", queues=["q"]))

    asked = [request.HasField("acquire_next") for request in fake.sent("BatchTransition")]
    assert asked == [False, True]
    assert moved.results == [ItemResult("succeeded", Phase.UNKNOWN, 0, False)] * 501
    assert [grant.fence for grant in moved.grants] == [7]


async def test_verbs_carry_the_version_expected_and_an_identity(fake: FakeServer) -> None:
    fake.answers("UpdateJob", replies(job_service_pb2.UpdateJobResponse(job=job_pb2.Job(id=JOB_ID))))

    async with AsyncClient(fake.target) as client:
        await client.update_job(JOB_ID, pinned=False, labels={}, expected_version=0)
        await client.update_job(JOB_ID, priority=3)

    first, second = fake.sent("UpdateJob")
    assert (first.pinned, first.HasField("labels"), first.expected_version) == (False, True, 0)
    assert first.HasField("pinned")
    assert first.HasField("expected_version")
    assert not first.HasField("priority")
    assert not second.HasField("labels")
    assert not second.HasField("expected_version")
    assert first.request_id != second.request_id != ""


async def test_a_queue_is_paused(fake: FakeServer) -> None:
    reply = queue_service_pb2.UpdateQueueResponse()
    reply.queue.name = "q"
    reply.queue.paused = True
    fake.answers("UpdateQueue", replies(reply))

    async with AsyncClient(fake.target) as client:
        queue = await client.update_queue("q", paused=True)

    assert (queue.paused, queue.max_active, queue.update_time) == (True, None, None)
    assert not fake.sent("UpdateQueue")[0].HasField("max_active")


async def test_a_client_may_be_closed_twice_and_unused() -> None:
    client = AsyncClient("localhost:1")

    await client.close()
    await client.close()
