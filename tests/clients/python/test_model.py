"""Values go to the API and come back as they were."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from tenure import requests
from tenure.model.document import Document, document
from tenure.model.enums import Directive, EmptyReason, JobEventReason, Phase, Visibility
from tenure.model.job import Failure, NewJob, Progress, RetryPolicy, job_from_proto
from tenure.model.lease import LeaseKey, Transition, grant_from_proto
from tenure.model.times import duration, seconds_of, time_of, timestamp
from tenure.v1 import job_pb2, lease_pb2


@pytest.mark.parametrize(
    "words, proto_enum, prefix, made_up",
    [
        (Phase, job_pb2.Phase, "PHASE_", {"UNKNOWN"}),
        (Directive, job_pb2.Directive, "DIRECTIVE_", {"UNKNOWN"}),
        (Visibility, job_pb2.Visibility, "VISIBILITY_", set()),
        (EmptyReason, lease_pb2.EmptyReason, "EMPTY_REASON_", {"UNKNOWN"}),
        (JobEventReason, job_pb2.JobEventReason, "JOB_EVENT_REASON_", {"UNKNOWN"}),
    ],
)
def test_words_are_those_of_the_api(
    words: type[StrEnum], proto_enum: Any, prefix: str, made_up: set[str]
) -> None:
    names = {name.removeprefix(prefix) for name, number in proto_enum.items() if number}

    assert set(words.__members__) - made_up == names


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_comes_back_as_it_went(value: datetime) -> None:
    sent = timestamp(value)

    assert sent is not None
    assert time_of(sent) == value
    assert sent.ToDatetime(tzinfo=UTC) == value


def test_a_time_of_another_zone_is_the_same_moment() -> None:
    local = datetime(2026, 3, 1, 13, 0, tzinfo=timezone(timedelta(hours=2)))

    assert timestamp(local) == Timestamp(seconds=1772362800)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        timestamp(datetime(2026, 3, 1))  # noqa: DTZ001  # that is the point


@given(st.timedeltas(timedelta(days=-400), timedelta(days=400)))
def test_a_timedelta_is_an_exact_duration(value: timedelta) -> None:
    sent = duration(value)

    assert sent is not None
    assert sent.ToTimedelta() == value


@pytest.mark.parametrize(
    "value, sent",
    [
        (0.1, Duration(nanos=100_000_000)),
        (-1.5, Duration(seconds=-1, nanos=-500_000_000)),
        (30, Duration(seconds=30)),
    ],
)
def test_seconds_are_a_duration(value: float, sent: Duration) -> None:
    assert duration(value) == sent
    assert seconds_of(sent) == value


@pytest.mark.parametrize(
    "value, content, content_type",
    [
        (b"\x00\xff", b"\x00\xff", "application/octet-stream"),
        ("grün", "grün".encode(), "text/plain; charset=utf-8"),
        ({"b": 1, "a": [None, True]}, b'{"a":[null,true],"b":1}', "application/json"),
        ([1, 2.5], b"[1,2.5]", "application/json"),
        (7, b"7", "application/json"),
        (Document(b"x", "image/png"), b"x", "image/png"),
    ],
)
def test_content_becomes_a_document(value: Any, content: bytes, content_type: str) -> None:
    made = document(value)

    assert made is not None
    assert (made.content, made.content_type) == (content, content_type)


def test_equal_values_make_equal_bytes_so_that_a_creation_can_be_repeated() -> None:
    assert document({"a": 1, "b": 2}) == document({"b": 2, "a": 1})


@pytest.mark.parametrize("nothing", [None, b""])
def test_nothing_is_no_document(nothing: bytes | None) -> None:
    assert document(nothing) is None


@pytest.mark.parametrize("value", [float("nan"), {"a": object()}])
def test_what_json_cannot_spell_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        document(value)


def test_a_new_job_goes_out_with_all_it_says() -> None:
    due = datetime(2026, 3, 1, tzinfo=UTC)
    job = NewJob(
        queue="images",
        kind="resize",
        payload={"width": 80},
        labels={"team": "web"},
        priority=-5,
        schedule_time=due,
        expire_time=due + timedelta(hours=1),
        retry=RetryPolicy(max_attempts=3, initial_delay=0.5),
        idempotency_key="k",
    )

    request = requests.create_job(job)

    assert request.idempotency_key == "k"
    assert request.request_id == job.request_id != ""
    assert request.job == job_pb2.NewJob(
        queue="images",
        kind="resize",
        lifecycle="standard",
        payload=job_pb2.Document(content=b'{"width":80}', content_type="application/json"),
        labels={"team": "web"},
        priority=-5,
        schedule_time=Timestamp(seconds=1772323200),
        expire_time=Timestamp(seconds=1772326800),
        retry_policy=job_pb2.RetryPolicy(max_attempts=3, initial_delay=Duration(nanos=500_000_000)),
    )


def test_two_new_jobs_are_two_creations_and_one_sent_twice_is_one() -> None:
    first, second = NewJob(), NewJob()

    assert first.request_id != second.request_id
    assert requests.create_job(first) == requests.create_job(first)


def test_a_job_comes_in_with_all_it_has() -> None:
    job = job_from_proto(
        job_pb2.Job(
            id="j",
            queue="q",
            state="failed",
            phase=job_pb2.PHASE_FAILED,
            labels={"a": "b"},
            allowed_targets=["pending"],
            directive=job_pb2.DIRECTIVE_PAUSE,
            progress=job_pb2.Progress(label="copy", done=0, total=9),
            error=job_pb2.Failure(code="timeout", retryable=False),
            payload=job_pb2.Document(content=b"p"),
            lease=job_pb2.Lease(holder="w", duration=Duration(seconds=30)),
            create_time=Timestamp(seconds=1, nanos=2000),
        )
    )

    assert job.ended
    assert job.directive is Directive.PAUSE
    assert job.progress == Progress("copy", 0, 9)
    assert job.error == Failure("timeout", retryable=False)
    assert job.payload == Document(b"p")
    assert job.result is None
    assert job.lease is not None
    assert (job.lease.holder, job.lease.duration, job.lease.heartbeat_time) == ("w", 30.0, None)
    assert job.create_time == datetime(1970, 1, 1, 0, 0, 1, 2, tzinfo=UTC)
    assert job.end_time is None


def test_an_empty_job_of_a_newer_server_can_be_read() -> None:
    job = job_from_proto(job_pb2.Job(id="j"))

    assert (job.phase, job.directive, job.ended) == (Phase.UNKNOWN, None, False)


def test_a_job_can_be_hashed_and_sent_to_another_process() -> None:
    job = job_from_proto(job_pb2.Job(id="j", labels={"a": "b"}))

    assert pickle.loads(pickle.dumps(job)) == job
    assert len({job, job}) == 1


def test_neither_tokens_nor_documents_show_when_a_value_is_logged() -> None:
    grant = grant_from_proto(
        lease_pb2.Grant(
            token=b"canary-token", job=job_pb2.Job(payload=job_pb2.Document(content=b"canary-payload"))
        ),
        sent_at=0,
    )
    shown = [
        grant,
        grant.job,
        LeaseKey("j", b"canary-token"),
        NewJob(payload=b"canary-payload"),
        Transition(lease=grant, to="succeeded", result=b"canary-payload", checkpoint=b"canary-payload"),
    ]

    assert "canary" not in repr(shown)
