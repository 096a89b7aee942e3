"""Every refusal has one code and one reason, and tells nothing that should stay inside."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, PreconditionFailure, RetryInfo
from grpc import StatusCode

from tenure.v1.errors_pb2 import ErrorReason
from tenure_server.domain import errors
from tenure_server.rpc.callers import OutOfTime
from tenure_server.rpc.errors import CODES, item_error, status_of
from tests.rpc.edge import JOB_ID, detail, reason


def kinds(kind: type[errors.TenureError] = errors.TenureError) -> Iterator[type[errors.TenureError]]:
    for below in kind.__subclasses__():
        yield below
        yield from kinds(below)


def test_every_reason_of_the_api_has_a_code() -> None:
    words = {name.removeprefix("ERROR_REASON_") for name, number in ErrorReason.items() if number}

    assert set(CODES) == words


def test_every_error_of_the_domain_has_a_reason_of_the_api() -> None:
    reasons = {kind.__name__: kind.reason for kind in kinds() if hasattr(kind, "reason")}

    assert set(reasons.values()) <= set(CODES)
    assert {kind.__name__ for kind in kinds()} - set(reasons) == {
        "NotFound",
        "LifecycleRefusal",
        "BoundReached",
        "TryAgain",
    }


@pytest.mark.parametrize(
    "error,code,told",
    [
        (errors.JobNotFound(JOB_ID), StatusCode.NOT_FOUND, {"job_id": str(JOB_ID)}),
        (errors.LifecycleNotFound("x"), StatusCode.NOT_FOUND, {"lifecycle": "x"}),
        (errors.RequestIdReused("r"), StatusCode.ALREADY_EXISTS, {"request_id": "r"}),
        (errors.IdempotencyKeyReused(JOB_ID), StatusCode.ALREADY_EXISTS, {"job_id": str(JOB_ID)}),
        (errors.VersionMismatch(JOB_ID, 1, 2), StatusCode.ABORTED, {"expected_version": "1", "version": "2"}),
        (errors.WatchPositionTooOld(), StatusCode.OUT_OF_RANGE, {}),
    ],
)
def test_metadata_has_what_the_message_says(
    error: errors.TenureError, code: StatusCode, told: dict[str, str]
) -> None:
    status = status_of(error)

    assert status.code == code.value[0]
    assert status.message == error.message
    assert told.items() <= dict(detail(status, ErrorInfo).metadata).items()
    assert reason(status) == error.reason


def test_a_broken_rule_names_the_field() -> None:
    (violation,) = detail(status_of(errors.InvalidField("job.queue", "is odd")), BadRequest).field_violations

    assert (violation.field, violation.description) == ("job.queue", "is odd")


@pytest.mark.parametrize(
    "error",
    [
        errors.LeaseLost(JOB_ID, "expired"),
        errors.IllegalTransition(JOB_ID, "a", "b", ["c", "d"]),
        errors.UnexpectedState(JOB_ID, "progress", "a"),
        errors.CannotCancel(JOB_ID, "a"),
        errors.NotRetryable(JOB_ID, "a", []),
        errors.JobTerminal(JOB_ID, "a"),
        errors.StillDraining(JOB_ID, "a"),
    ],
)
def test_a_failed_precondition_names_the_job(error: errors.TenureError) -> None:
    status = status_of(error)
    (violation,) = detail(status, PreconditionFailure).violations

    assert status.code == StatusCode.FAILED_PRECONDITION.value[0]
    assert (violation.type, violation.subject) == (error.reason, str(JOB_ID))
    assert violation.description == error.message


def test_an_illegal_transition_lists_where_the_job_may_go() -> None:
    info = detail(status_of(errors.IllegalTransition(JOB_ID, "a", "b", ["c", "d"])), ErrorInfo)

    assert dict(info.metadata) == {"job_id": str(JOB_ID), "from": "a", "to": "b", "allowed": "c, d"}


@pytest.mark.parametrize(
    "error,code",
    [
        (errors.ConcurrencyLimit("q", 1, 1), StatusCode.RESOURCE_EXHAUSTED),
        (errors.TooManyWaiters("process", 1), StatusCode.RESOURCE_EXHAUSTED),
        (errors.SlowReader(5), StatusCode.RESOURCE_EXHAUSTED),
        (errors.DatabaseUnavailable(), StatusCode.UNAVAILABLE),
        (errors.ServerDraining(), StatusCode.UNAVAILABLE),
        (errors.JobBusy(JOB_ID), StatusCode.UNAVAILABLE),
        (errors.OutcomeUnknown(), StatusCode.UNAVAILABLE),
    ],
)
def test_what_may_be_tried_again_says_when(
    error: errors.BoundReached | errors.TryAgain, code: StatusCode
) -> None:
    status = status_of(error)
    delay: timedelta = detail(status, RetryInfo).retry_delay.ToTimedelta()

    assert status.code == code.value[0]
    assert delay == error.retry_after


def test_long_and_odd_text_is_cut_and_escaped() -> None:
    status = status_of(errors.InvalidField("ключ\x1b[31m" * 200, "ü\n" * 4000))
    info = detail(status, ErrorInfo)
    (violation,) = detail(status, BadRequest).field_violations

    assert len(status.message) <= 1024
    assert all(len(value) <= 256 for value in info.metadata.values())
    told = [status.message, violation.field, violation.description, *info.metadata.values()]
    assert all(text.isascii() and text.isprintable() for text in told)
    assert status.ByteSize() < 6 * 1024


def test_what_nobody_foresaw_tells_the_caller_nothing() -> None:
    status = status_of(ValueError("password is hunter2"))

    assert (status.code, status.message) == (StatusCode.INTERNAL.value[0], "internal error")
    assert not status.details


def test_what_nobody_foresaw_is_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    secret = "hunter" + "2"
    try:
        try:
            raise KeyError(secret)
        except KeyError as cause:
            raise ValueError(secret) from cause
    except ValueError as error:
        item_error(error)

    assert "builtins.KeyError" in caplog.text
    assert "builtins.ValueError" in caplog.text
    assert "test_errors.py" in caplog.text
    assert "hunter2" not in caplog.text


def test_a_refusal_is_no_news_for_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    item_error(errors.LeaseLost(JOB_ID, "expired"))

    assert not caplog.records


def test_a_call_without_time_is_told_so() -> None:
    assert status_of(OutOfTime()).code == StatusCode.DEADLINE_EXCEEDED.value[0]
