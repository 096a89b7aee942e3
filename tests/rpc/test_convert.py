"""Between proto and domain nothing is lost and nothing is made up."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from tenure.v1 import job_pb2, job_service_pb2, lease_pb2
from tenure_server.domain.change import EventReason
from tenure_server.domain.errors import InvalidField
from tenure_server.domain.job import Directive, Document, DocumentKind, Job, JobRecord, NewJob, encode_failure
from tenure_server.domain.lease_rules import EmptyReason
from tenure_server.domain.lifecycle import Failure
from tenure_server.domain.phase import Phase
from tenure_server.domain.progress import Progress
from tenure_server.domain.retry import RetryPolicy
from tenure_server.rpc.convert_job import (
    DIRECTIVES,
    EVENT_REASONS,
    PHASES,
    creation_from_proto,
    event_to_proto,
    filter_from_proto,
    job_to_proto,
)
from tenure_server.rpc.convert_lease import EMPTY_REASONS
from tenure_server.rpc.convert_steering import update_from_proto
from tenure_server.rpc.convert_values import (
    document_from_proto,
    duration_from_proto,
    failure_from_proto,
    progress_from_proto,
    retry_policy_from_proto,
    retry_policy_to_proto,
    time_from_proto,
    write_document,
    write_duration,
    write_failure,
    write_time,
)
from tenure_server.store.events import StoredEvent
from tenure_server.store.jobs import JobFilter
from tests.rpc.edge import AT, CATALOGUE, JOB_ID, TOKEN, job, leased, record

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
times = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), timezones=st.just(UTC))  # noqa: DTZ001
durations = st.timedeltas(timedelta(0), timedelta(days=3650))
counts = st.integers(0, 2**63 - 1)
small = st.integers(0, 2**31 - 1)
labels = st.dictionaries(texts, texts, max_size=4)
documents = st.builds(Document, st.binary(max_size=64), texts)
failures = st.builds(Failure, texts, texts, st.booleans(), labels.map(lambda d: tuple(sorted(d.items()))))
progresses = st.builds(Progress, texts, st.none() | counts, st.none() | counts, texts)
policies = st.builds(
    RetryPolicy, st.integers(1, 1_000_000), durations, durations, st.floats(1, 100, allow_nan=False)
)


@given(times)
def test_times_go_there_and_back(time: datetime) -> None:
    sent = Timestamp()
    write_time(sent, time)

    assert time_from_proto("f", sent) == time
    assert sent.ToDatetime(UTC) == time


@given(durations)
def test_durations_go_there_and_back(length: timedelta) -> None:
    sent = Duration()
    write_duration(sent, length)

    assert duration_from_proto("f", sent) == length
    assert sent.ToTimedelta() == length


@given(failures)
def test_failures_go_there_and_back(failure: Failure) -> None:
    sent = job_pb2.Failure()
    write_failure(sent, failure)

    assert failure_from_proto(sent) == failure


def test_a_failure_that_says_nothing_about_it_may_be_tried_again() -> None:
    assert failure_from_proto(job_pb2.Failure(code="x")).retryable
    assert not failure_from_proto(job_pb2.Failure(code="x", retryable=False)).retryable


@given(progresses)
def test_progress_comes_back_as_it_was_stored(progress: Progress) -> None:
    row = job(**{f"progress_{name}": value for name, value in progress._asdict().items()})
    sent = job_to_proto(record(row), CATALOGUE)

    assert sent.HasField("progress")
    assert progress_from_proto(sent.progress) == progress == row.progress


@given(documents)
def test_documents_go_there_and_back(document: Document) -> None:
    sent = job_pb2.Document()
    write_document(sent, document)

    assert document_from_proto(sent) == document


@given(policies)
def test_retry_policies_go_there_and_back(policy: RetryPolicy) -> None:
    assert retry_policy_from_proto("f", retry_policy_to_proto(policy)) == policy


def test_an_empty_retry_policy_means_the_defaults() -> None:
    assert retry_policy_from_proto("f", job_pb2.RetryPolicy()) == RetryPolicy()


jobs = st.builds(
    job,
    queue=texts,
    kind=texts,
    lifecycle=st.sampled_from(["standard", "image", "unknown"]),
    state=st.sampled_from(["pending", "running", "succeeded", "odd"]),
    phase=st.sampled_from([str(phase) for phase in Phase]),
    priority=st.integers(-1000, 1000),
    attempt=small,
    max_attempts=st.integers(1, 1_000_000),
    retry_initial_delay=st.none() | durations,
    retry_max_delay=st.none() | durations,
    retry_multiplier=st.none() | st.floats(1, 100, allow_nan=False),
    version=counts,
    fence=counts,
    lease_token=st.none() | st.just(TOKEN),
    lease_holder=texts,
    lease_expire_time=st.none() | times,
    lease_duration=durations,
    heartbeat_time=times,
    directive=st.none() | st.sampled_from([str(directive) for directive in Directive]),
    cancel_reason=st.none() | texts,
    phase_index=st.integers(0, 255),
    pinned=st.booleans(),
    create_time=times,
    update_time=times,
    **{
        name: st.none() | times
        for name in ("schedule_time", "expire_time", "deleted_time", "start_time", "end_time")
    },
)
records = st.builds(
    JobRecord,
    jobs,
    labels,
    st.fixed_dictionaries(
        {},
        optional={
            "payload": documents,
            "result": documents,
            "checkpoint": documents,
            "error": failures.map(encode_failure),
        },
    ),
)


def _time(sent: job_pb2.Job | job_pb2.Lease, name: str) -> datetime | None:
    return time_from_proto(name, getattr(sent, name)) if sent.HasField(name) else None


def _read_back(sent: job_pb2.Job, stored: JobRecord) -> JobRecord:
    """The record a job on the wire tells; what it does not tell is taken from the stored one."""
    row, held = stored.job, sent.HasField("lease")
    policy = retry_policy_from_proto("f", sent.retry_policy)
    told = {name: getattr(sent, name) for name in Job._fields if name in _PLAIN}
    told |= {name: _time(sent, name) for name in _TIMES}
    told |= {
        "phase": job_pb2.Phase.Name(sent.phase).removeprefix("PHASE_"),
        "directive": job_pb2.Directive.Name(sent.directive).removeprefix("DIRECTIVE_"),
        "cancel_reason": sent.cancel_reason or None,
        "lease_expire_time": _time(sent.lease, "expire_time") if held else None,
    }
    if told["directive"] == "UNSPECIFIED":
        told["directive"] = None
    if held:
        told["lease_holder"] = sent.lease.holder
        told["heartbeat_time"] = _time(sent.lease, "heartbeat_time")
        told["lease_duration"] = duration_from_proto("f", sent.lease.duration)
    assert policy == row.retry_policy
    assert sent.id == str(row.id)
    kept = {
        kind: document_from_proto(getattr(sent, kind))
        for kind in ("payload", "result", "checkpoint")
        if sent.HasField(kind)
    }
    if sent.HasField("error"):
        kept["error"] = encode_failure(failure_from_proto(sent.error))
    return JobRecord(row._replace(**told), dict(sent.labels), kept)


_PLAIN = frozenset(
    {"queue", "kind", "lifecycle", "lifecycle_version", "state", "priority", "attempt", "version", "fence"}
    | {"phase_index", "pinned"}
)
_TIMES = (
    "schedule_time",
    "expire_time",
    "deleted_time",
    "create_time",
    "update_time",
    "start_time",
    "end_time",
)


@given(records)
def test_a_job_on_the_wire_tells_all_of_the_stored_one(stored: JobRecord) -> None:
    sent = job_to_proto(stored, CATALOGUE, full=True)
    row = stored.job._replace(cancel_reason=stored.job.cancel_reason or None)

    assert _read_back(job_pb2.Job.FromString(sent.SerializeToString()), stored) == JobRecord(
        row, stored.labels, stored.documents
    )


def test_no_token_is_in_a_job() -> None:
    assert TOKEN not in job_to_proto(record(leased()), CATALOGUE, full=True).SerializeToString()


def test_documents_are_shown_only_where_they_are_wanted() -> None:
    stored = record(job(), {"payload": Document(b"x")})

    assert not job_to_proto(stored, CATALOGUE).HasField("payload")
    assert job_to_proto(stored, CATALOGUE, full=True).payload.content == b"x"


def test_a_job_lists_where_a_worker_may_move_it() -> None:
    targets = job_to_proto(record(leased()), CATALOGUE).allowed_targets

    assert list(targets) == list(CATALOGUE.require("standard").allowed("running"))
    assert "succeeded" in targets


@pytest.mark.parametrize("stored", [b"", b"{}", b"[]", b"null", b'{"code":1}', b"\xff"])
def test_one_unreadable_error_does_not_hide_the_job(stored: bytes) -> None:
    shown = job_to_proto(record(job(), {DocumentKind.ERROR: Document(stored)}), CATALOGUE, full=True)

    assert shown.error.code == "unreadable"


new_jobs = st.builds(
    NewJob,
    queue=texts.filter(bool),
    kind=texts,
    lifecycle=texts.filter(bool),
    lifecycle_version=small,
    priority=st.integers(-1000, 1000),
    schedule_time=st.none() | times,
    expire_time=st.none() | times,
    retry_policy=st.none() | policies,
    labels=labels.map(lambda d: tuple(sorted(d.items()))),
    payload=st.none() | documents,
)


@given(new_jobs, texts, texts)
def test_what_a_creator_says_arrives(new: NewJob, key: str, request_id: str) -> None:
    sent = job_service_pb2.CreateJobRequest(idempotency_key=key, request_id=request_id)
    retry = retry_policy_to_proto(new.retry_policy) if new.retry_policy is not None else None
    payload = new.payload._asdict() if new.payload is not None else None
    sent.job.CopyFrom(
        job_pb2.NewJob(
            queue=new.queue,
            kind=new.kind,
            lifecycle=new.lifecycle,
            lifecycle_version=new.lifecycle_version,
            priority=new.priority,
            schedule_time=new.schedule_time,
            expire_time=new.expire_time,
            retry_policy=retry,
            labels=dict(new.labels),
            payload=payload,
        )
    )

    assert creation_from_proto(sent) == (new, key, request_id)


def test_what_a_creator_leaves_out_has_defaults() -> None:
    new = creation_from_proto(job_service_pb2.CreateJobRequest()).new

    assert new == NewJob(queue="default", kind="", lifecycle="standard", lifecycle_version=0)


@pytest.mark.parametrize("seconds,nanos", [(2**62, 0), (-(2**62), 0), (0, -1), (0, 10**9), (253402300800, 0)])
def test_times_no_calendar_has_are_refused(seconds: int, nanos: int) -> None:
    sent = job_service_pb2.ListJobsRequest(created_from=Timestamp(seconds=seconds, nanos=nanos))

    with pytest.raises(InvalidField) as refused:
        filter_from_proto(sent)
    assert refused.value.field == "created_from"


@pytest.mark.parametrize("seconds,nanos", [(-1, 0), (0, -1), (1, -1), (0, 10**9)])
def test_negative_and_odd_durations_are_refused(seconds: int, nanos: int) -> None:
    with pytest.raises(InvalidField) as refused:
        duration_from_proto("wait", Duration(seconds=seconds, nanos=nanos))
    assert refused.value.field == "wait"


def test_a_length_beyond_reason_is_cut() -> None:
    assert duration_from_proto("wait", Duration(seconds=2**62)) > timedelta(days=365 * 9_000)


def test_an_empty_filter_means_jobs_that_are_not_deleted() -> None:
    assert filter_from_proto(job_service_pb2.ListJobsRequest()) == JobFilter()


def test_every_filter_arrives() -> None:
    sent = job_service_pb2.ListJobsRequest(
        queue="q",
        kind="k",
        lifecycle="l",
        states=["a", "b"],
        phases=[job_pb2.PHASE_ACTIVE],
        labels={"b": "2", "a": "1"},
        holder="h",
        created_from=AT,
        created_before=AT,
        pinned=False,
        visibility=job_pb2.VISIBILITY_HIDDEN,
    )

    assert filter_from_proto(sent) == JobFilter(
        "q", "k", "l", ("a", "b"), ("ACTIVE",), (("a", "1"), ("b", "2")), "h", AT, AT, False, True
    )
    sent.visibility = job_pb2.VISIBILITY_ALL
    assert filter_from_proto(sent).deleted is None


def test_an_update_without_a_change_is_refused() -> None:
    with pytest.raises(InvalidField):
        update_from_proto(job_service_pb2.UpdateJobRequest(job_id=str(JOB_ID)))


def test_an_empty_set_of_labels_is_a_change() -> None:
    sent = job_service_pb2.UpdateJobRequest(labels=job_service_pb2.Labels())

    assert update_from_proto(sent).labels == ()


def test_an_event_tells_all_of_the_stored_one() -> None:
    stored = StoredEvent(7, JOB_ID, 3, 1, "queue", "a", "b", "MOVED", "worker", 5, 2, AT)

    assert event_to_proto(stored) == job_pb2.JobEvent(
        job_id=str(JOB_ID),
        version=3,
        step=1,
        from_state="a",
        to_state="b",
        reason=job_pb2.JOB_EVENT_REASON_MOVED,
        holder="worker",
        fence=5,
        attempt=2,
        time=AT,
    )


@pytest.mark.parametrize(
    "known,words",
    [
        (PHASES, Phase),
        (DIRECTIVES, Directive),
        (EVENT_REASONS, EventReason),
    ],
)
def test_enums_here_and_there_have_the_same_words(known: dict[str, Any], words: Any) -> None:
    assert set(known) == {str(word) for word in words}


def test_every_empty_reason_can_be_told() -> None:
    assert {str(reason) for reason in EmptyReason} <= set(EMPTY_REASONS)
    assert EMPTY_REASONS["NO_JOBS"] == lease_pb2.EMPTY_REASON_NO_JOBS
