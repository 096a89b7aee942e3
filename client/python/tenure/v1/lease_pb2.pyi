# Generated from proto/tenure/v1/lease.proto by make generate; do not edit.
import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tenure.v1 import job_pb2 as _job_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EmptyReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMPTY_REASON_UNSPECIFIED: _ClassVar[EmptyReason]
    EMPTY_REASON_NO_JOBS: _ClassVar[EmptyReason]
    EMPTY_REASON_SCHEDULED_LATER: _ClassVar[EmptyReason]
    EMPTY_REASON_QUEUE_PAUSED: _ClassVar[EmptyReason]
    EMPTY_REASON_CONCURRENCY_LIMIT: _ClassVar[EmptyReason]
    EMPTY_REASON_NO_MATCH: _ClassVar[EmptyReason]
    EMPTY_REASON_LEASED_BY_ANOTHER: _ClassVar[EmptyReason]
    EMPTY_REASON_TERMINAL: _ClassVar[EmptyReason]
    EMPTY_REASON_NOT_LEASABLE: _ClassVar[EmptyReason]
    EMPTY_REASON_WORKER_DRAINING: _ClassVar[EmptyReason]
    EMPTY_REASON_SERVER_DRAINING: _ClassVar[EmptyReason]
EMPTY_REASON_UNSPECIFIED: EmptyReason
EMPTY_REASON_NO_JOBS: EmptyReason
EMPTY_REASON_SCHEDULED_LATER: EmptyReason
EMPTY_REASON_QUEUE_PAUSED: EmptyReason
EMPTY_REASON_CONCURRENCY_LIMIT: EmptyReason
EMPTY_REASON_NO_MATCH: EmptyReason
EMPTY_REASON_LEASED_BY_ANOTHER: EmptyReason
EMPTY_REASON_TERMINAL: EmptyReason
EMPTY_REASON_NOT_LEASABLE: EmptyReason
EMPTY_REASON_WORKER_DRAINING: EmptyReason
EMPTY_REASON_SERVER_DRAINING: EmptyReason

class Grant(_message.Message):
    __slots__ = ("job", "token", "fence", "attempt", "expire_time", "ttl", "renew_after", "last_attempt")
    JOB_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    RENEW_AFTER_FIELD_NUMBER: _ClassVar[int]
    LAST_ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    token: bytes
    fence: int
    attempt: int
    expire_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    renew_after: _duration_pb2.Duration
    last_attempt: bool
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ..., token: _Optional[bytes] = ..., fence: _Optional[int] = ..., attempt: _Optional[int] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., renew_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., last_attempt: _Optional[bool] = ...) -> None: ...

class LeaseStatus(_message.Message):
    __slots__ = ("expire_time", "ttl", "renew_after", "version", "directive", "directive_reason")
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    RENEW_AFTER_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_REASON_FIELD_NUMBER: _ClassVar[int]
    expire_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    renew_after: _duration_pb2.Duration
    version: int
    directive: _job_pb2.Directive
    directive_reason: str
    def __init__(self, expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., renew_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., version: _Optional[int] = ..., directive: _Optional[_Union[_job_pb2.Directive, str]] = ..., directive_reason: _Optional[str] = ...) -> None: ...
