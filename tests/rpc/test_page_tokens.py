"""A token goes on with its own list and with no other."""

from uuid import UUID

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from tenure.v1.job_pb2 import JOB_VIEW_FULL
from tenure.v1.job_service_pb2 import ListJobEventsRequest, ListJobsRequest, WatchJobsRequest
from tenure.v1.queue_service_pb2 import ListQueuesRequest
from tenure_server.domain.errors import InvalidField
from tenure_server.rpc.page_tokens import Tokens, page_length
from tenure_server.store.events import WatchPosition
from tests.rpc.edge import JOB_ID

LIST = ListJobsRequest(queue="q", labels={"a": "1", "b": "2"})


@given(st.uuids())
def test_a_list_of_jobs_goes_on_after_its_last_job(job_id: UUID) -> None:
    token = Tokens("s", LIST).after_job(job_id)

    assert Tokens("s", LIST).job(token) == job_id


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=128))
def test_a_list_of_queues_goes_on_after_its_last_queue(name: str) -> None:
    tokens = Tokens("s", ListQueuesRequest())

    assert tokens.queue(tokens.after_queue(name)) == name


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**31 - 1))
def test_a_history_goes_on_after_its_last_line(version: int, step: int) -> None:
    tokens = Tokens("s", ListJobEventsRequest(job_id=str(JOB_ID)))

    assert tokens.event(tokens.after_event(version, step)) == (version, step)


@given(
    st.builds(
        WatchPosition,
        st.integers(0, 2**63 - 1),
        st.uuids(),
        st.integers(0, 2**63 - 1),
        st.integers(0, 2**31 - 1),
    )
)
def test_a_watch_goes_on_after_its_last_event(position: WatchPosition) -> None:
    tokens = Tokens("s", WatchJobsRequest(), field="cursor")

    assert tokens.position(tokens.after_position(position)) == position


def test_without_a_token_everything_begins_at_the_beginning() -> None:
    tokens = Tokens("s", LIST)

    assert (tokens.job(""), tokens.queue(""), tokens.position("")) == (None, "", None)
    assert tokens.event("") < (0, 0)


def test_page_size_and_view_may_change_within_a_list() -> None:
    token = Tokens("s", LIST).after_job(JOB_ID)
    other = ListJobsRequest(
        queue="q", labels={"b": "2", "a": "1"}, page_size=7, page_token=token, view=JOB_VIEW_FULL
    )

    assert Tokens("s", other).job(token) == JOB_ID


@pytest.mark.parametrize(
    "scope,request_",
    [
        ("other", LIST),
        ("s", ListJobsRequest(queue="other")),
        ("s", ListJobsRequest(queue="q")),
        ("s", ListJobEventsRequest()),
    ],
)
def test_a_token_of_another_list_is_refused(scope: str, request_: Message) -> None:
    token = Tokens("s", LIST).after_job(JOB_ID)

    with pytest.raises(InvalidField) as refused:
        Tokens(scope, request_).job(token)
    assert refused.value.field == "page_token"


@given(st.integers(0, 31), st.sampled_from("ABCxyz019-_"))
def test_a_damaged_token_is_refused(place: int, letter: str) -> None:
    tokens = Tokens("s", LIST)
    token = tokens.after_job(JOB_ID)
    damaged = token[:place] + letter + token[place + 1 :]

    if damaged == token:
        assert tokens.job(damaged) == JOB_ID
        return
    with pytest.raises(InvalidField):
        tokens.job(damaged)


@pytest.mark.parametrize("token", ["x", "é", "====", "A" * 512, "\0", "AAAAAAAAAAA", " "])
def test_nonsense_is_refused(token: str) -> None:
    for read in (Tokens("s", LIST).job, Tokens("s", LIST).queue, Tokens("s", LIST).event):
        with pytest.raises(InvalidField):
            read(token)


def test_a_bad_cursor_is_called_a_cursor() -> None:
    with pytest.raises(InvalidField) as refused:
        Tokens("s", WatchJobsRequest(), field="cursor").position("x")
    assert refused.value.field == "cursor"


def test_a_page_has_a_default_and_a_bound() -> None:
    assert [page_length(asked, 50, 500) for asked in (0, 1, 500, 501, 2**31 - 1)] == [50, 1, 500, 500, 500]
