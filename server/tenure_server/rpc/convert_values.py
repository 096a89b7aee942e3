"""Between proto and domain: times, documents, failures, progress and retry policies.

What is in every job is written into the message it is part of: half the cost of making a message that
is then copied there.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from tenure.v1 import job_pb2
from tenure_server.domain.errors import InvalidField
from tenure_server.domain.job import Document
from tenure_server.domain.lifecycle import Failure
from tenure_server.domain.progress import Progress
from tenure_server.domain.retry import (
    DEFAULT_INITIAL_DELAY,
    DEFAULT_MAX_DELAY,
    DEFAULT_MULTIPLIER,
    RetryPolicy,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND = -62_135_596_800
_LAST_SECOND = 253_402_300_799
_LONGEST_SECONDS = 315_576_000_000
_NANOS = 1_000_000_000


def write_time(message: Timestamp, time: datetime) -> None:
    """Set a Timestamp."""
    since = time - EPOCH
    message.seconds = since.days * 86400 + since.seconds
    message.nanos = since.microseconds * 1000


def time_from_proto(field: str, sent: Timestamp) -> datetime:
    """A time, cut to microseconds; raises InvalidField when no calendar has it."""
    if not (_FIRST_SECOND <= sent.seconds <= _LAST_SECOND and 0 <= sent.nanos < _NANOS):
        raise InvalidField(field, "must be a time in the years 1 to 9999, with nanos from 0 to 999,999,999")
    return EPOCH + timedelta(seconds=sent.seconds, microseconds=sent.nanos // 1000)


def write_duration(message: Duration, length: timedelta) -> None:
    """Set a Duration to a length that is not negative."""
    message.seconds = length.days * 86400 + length.seconds
    message.nanos = length.microseconds * 1000


def duration_from_proto(field: str, sent: Duration) -> timedelta:
    """A length of time, cut to microseconds and to ten thousand years; raises InvalidField if negative."""
    if sent.seconds < 0 or not 0 <= sent.nanos < _NANOS:
        raise InvalidField(field, "must not be negative, with nanos from 0 to 999,999,999")
    return timedelta(seconds=min(sent.seconds, _LONGEST_SECONDS), microseconds=sent.nanos // 1000)


def write_document(message: job_pb2.Document, document: Document) -> None:
    """Set a Document."""
    message.content = document.content
    message.content_type = document.content_type


def document_from_proto(sent: job_pb2.Document) -> Document:
    """A document as it is stored."""
    return Document(sent.content, sent.content_type)


def write_failure(message: job_pb2.Failure, failure: Failure) -> None:
    """Set a Failure."""
    message.code = failure.code
    message.message = failure.message
    message.retryable = failure.retryable
    message.details.update(failure.details)


def failure_from_proto(sent: job_pb2.Failure) -> Failure:
    """Why something failed; where nothing is said another attempt may help."""
    retryable = sent.retryable if sent.HasField("retryable") else True
    return Failure(sent.code, sent.message, retryable, labels_from_proto(sent.details))


def progress_from_proto(sent: job_pb2.Progress) -> Progress:
    """One report."""
    return Progress(
        sent.label,
        sent.done if sent.HasField("done") else None,
        sent.total if sent.HasField("total") else None,
        sent.message,
    )


def retry_policy_to_proto(policy: RetryPolicy) -> job_pb2.RetryPolicy:
    """How often work is tried."""
    return job_pb2.RetryPolicy(
        max_attempts=policy.max_attempts,
        initial_delay=policy.initial_delay,
        max_delay=policy.max_delay,
        multiplier=policy.multiplier,
    )


def retry_policy_from_proto(field: str, sent: job_pb2.RetryPolicy) -> RetryPolicy:
    """A policy, defaults filled in."""
    initial, longest = DEFAULT_INITIAL_DELAY, DEFAULT_MAX_DELAY
    if sent.HasField("initial_delay"):
        initial = duration_from_proto(f"{field}.initial_delay", sent.initial_delay)
    if sent.HasField("max_delay"):
        longest = duration_from_proto(f"{field}.max_delay", sent.max_delay)
    return RetryPolicy(sent.max_attempts or 1, initial, longest, sent.multiplier or DEFAULT_MULTIPLIER)


def labels_from_proto(sent: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Pairs in one order, so that equal sets are equal values."""
    return tuple(sorted(sent.items())) if sent else ()


def numbers_by_word(items: Iterable[tuple[str, int]], prefix: str) -> dict[str, Any]:
    """The numbers of an enum by what its names say after the prefix; unspecified has no word.

    Any, because the stubs know an enum's value and its number as different types.
    """
    return {name.removeprefix(prefix): number for name, number in items if number}
