"""Who goes into the next flush: lanes of their own, scopes in turn, one command per job, order kept."""

from collections import Counter, defaultdict
from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from tenure_server.domain.command import Acquire, Move, Release, Renew
from tenure_server.domain.job import NewJob
from tenure_server.service.backlog import Backlog
from tenure_server.service.calls import AcquireCall, Call, CreateCall, JobCall, Lane

ROOM = 10
LATER = 1e9


def renewal(job: int, scope: str = "a") -> JobCall:
    return JobCall(scope, LATER, UUID(int=job), Renew(b"token"))


def move(job: int, scope: str = "a") -> JobCall:
    return JobCall(scope, LATER, UUID(int=job), Move(b"token", "done"))


def release(job: int, scope: str = "a") -> JobCall:
    return JobCall(scope, LATER, UUID(int=job), Release(b"token"))


def creation(scope: str = "a") -> CreateCall:
    new = NewJob(queue="q", kind="", lifecycle="standard", lifecycle_version=1)
    return CreateCall(scope, LATER, new)


def claim(leases: int = 1, scope: str = "a") -> AcquireCall:
    asked = Acquire("me", timedelta(seconds=1), ("q",), max_leases=leases)
    return AcquireCall(scope, LATER, asked, ("q",))


def backlog(*calls: Call) -> Backlog:
    made = Backlog(ROOM)
    made.add(calls)
    return made


def drained(waiting: Backlog) -> list[list[Call]]:
    """Flush after flush, until nothing is left."""
    flushes = []
    while len(waiting):
        flushes.append(waiting.take())
        assert flushes[-1], "calls wait and none is taken"
    assert waiting.take() == []
    return flushes


def test_a_flood_of_one_kind_leaves_the_others_their_place() -> None:
    flood = [creation() for _ in range(1000)]
    few = [renewal(1), move(2), claim()]
    waiting = backlog(*flood, *few)

    taken = waiting.take()

    assert set(few) <= set(taken)
    assert len(taken) == ROOM + len(few)


def test_scopes_take_turns() -> None:
    waiting = backlog(*(creation("busy") for _ in range(1000)), creation("quiet"))

    assert Counter(call.scope for call in waiting.take()) == {"busy": ROOM - 1, "quiet": 1}


def test_a_scope_with_many_jobs_has_the_share_of_one_with_few() -> None:
    waiting = backlog(*(renewal(n, "busy") for n in range(1000)), *(renewal(n, "quiet") for n in range(8)))

    assert [Counter(call.scope for call in waiting.take())["quiet"] for _ in range(2)] == [5, 3]


def test_a_scope_that_asks_for_everything_waits_for_its_turn() -> None:
    waiting = backlog(*(claim(ROOM, "busy") for _ in range(5)), claim(ROOM, "quiet"))

    turns = [[call.scope for call in flush] for flush in drained(waiting)]

    assert turns.index(["quiet"]) <= 1


def test_a_second_command_for_a_job_goes_with_the_next_flush() -> None:
    first, second, third, other = renewal(1), renewal(1), renewal(1), renewal(2)
    waiting = backlog(first, second, third, other)

    assert drained(waiting) == [[first, other], [second], [third]]


def test_jobs_of_the_same_id_in_other_scopes_are_other_jobs() -> None:
    mine, theirs = renewal(1, "a"), renewal(1, "b")

    assert drained(backlog(mine, theirs)) == [[mine, theirs]]


def test_a_renewal_goes_before_a_move_that_still_waits() -> None:
    moved, renewed = move(1), renewal(1)

    assert drained(backlog(moved, renewed)) == [[renewed], [moved]]


def test_commands_of_one_lane_for_one_job_go_in_order_of_arrival() -> None:
    renewed, released = renewal(1), release(1)

    assert drained(backlog(renewed, released)) == [[renewed], [released]]


def test_what_is_put_back_goes_first() -> None:
    waiting = backlog(renewal(1), renewal(2))
    taken = waiting.take()
    waiting.add([renewal(3), renewal(1)])

    waiting.put_back(taken)

    assert waiting.take()[:2] == taken


CALLS = st.lists(
    st.one_of(
        st.builds(renewal, st.integers(0, 4), st.sampled_from("abc")),
        st.builds(move, st.integers(0, 4), st.sampled_from("abc")),
        st.builds(release, st.integers(0, 4), st.sampled_from("abc")),
        st.builds(creation, st.sampled_from("abc")),
        st.builds(claim, st.integers(1, ROOM), st.sampled_from("abc")),
    ),
    max_size=80,
)


@given(CALLS, st.lists(st.integers(0, 30), max_size=5))
def test_whatever_waits_is_taken_once_and_in_order(calls: list[Call], puts: list[int]) -> None:
    waiting = backlog(*calls)
    flushes: list[list[Call]] = []
    for put in puts:
        taken = waiting.take()
        flushes.append(taken[put:])
        waiting.put_back(taken[:put])
    flushes += drained(waiting)

    went = [call for flush in flushes for call in flush]
    assert len(went) == len(calls)
    assert set(went) == set(calls)
    for flush in flushes:
        named = [(call.scope, call.names_job) for call in flush if call.names_job is not None]
        assert len(named) == len(set(named))
        assert all(load(flush, lane) < 2 * ROOM for lane in Lane)


@given(CALLS)
def test_within_a_lane_each_scope_and_each_job_keep_their_order(calls: list[Call]) -> None:
    place = {call: number for number, call in enumerate(calls)}
    went = [call for flush in drained(backlog(*calls)) for call in flush]

    lines: dict[object, list[int]] = defaultdict(list)
    for call in went:
        if call.names_job is not None:
            lines[call.lane, call.scope, call.names_job].append(place[call])
        else:
            lines[call.lane, call.scope].append(place[call])
    assert all(line == sorted(line) for line in lines.values())


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 60), min_size=1))
def test_no_scope_waits_longer_than_its_share_takes(loads: dict[str, int]) -> None:
    waiting = backlog(*(creation(scope) for scope, count in loads.items() for _ in range(count)))

    last = {call.scope: number for number, flush in enumerate(drained(waiting)) for call in flush}

    for scope, count in loads.items():
        assert last[scope] <= (count * len(loads)) // ROOM + 1


def load(flush: list[Call], lane: Lane) -> int:
    """How much of a lane's room a flush takes; its last call may go beyond."""
    return sum(call.weight for call in flush if call.lane is lane)
