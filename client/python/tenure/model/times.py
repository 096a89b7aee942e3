"""Times and durations as Python has them, and as the API has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

DurationLike = float | timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NANOS = 1_000_000_000


def timestamp(value: datetime | None) -> Timestamp | None:
    """Return the API's form of an aware datetime; a naive one raises ValueError."""
    if value is None:
        return None
    if value.tzinfo is None:
        raise ValueError("a time needs a time zone; use datetime(..., tzinfo=UTC)")
    since = value - _EPOCH
    return Timestamp(seconds=since.days * 86_400 + since.seconds, nanos=since.microseconds * 1000)


def time_of(value: Timestamp) -> datetime:
    """Return the time in UTC, cut to microseconds."""
    return _EPOCH + timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)


def duration(value: DurationLike | None) -> Duration | None:
    """Return the API's form of seconds or a timedelta."""
    if value is None:
        return None
    if isinstance(value, timedelta):
        nanos = (value // timedelta(microseconds=1)) * 1000
    else:
        nanos = round(value * _NANOS)
    sign = -1 if nanos < 0 else 1
    seconds, rest = divmod(abs(nanos), _NANOS)
    return Duration(seconds=sign * seconds, nanos=sign * rest)


def seconds(value: DurationLike) -> float:
    return value.total_seconds() if isinstance(value, timedelta) else float(value)


def seconds_of(value: Duration) -> float:
    return value.seconds + value.nanos / _NANOS
