# Generated from proto/tenure/v1/job.proto by make generate; do not edit.
import datetime

from buf.validate import validate_pb2 as _validate_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_WAITING: _ClassVar[Phase]
    PHASE_ACTIVE: _ClassVar[Phase]
    PHASE_PARKED: _ClassVar[Phase]
    PHASE_STOPPING: _ClassVar[Phase]
    PHASE_SUCCEEDED: _ClassVar[Phase]
    PHASE_FAILED: _ClassVar[Phase]
    PHASE_CANCELLED: _ClassVar[Phase]

class Directive(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DIRECTIVE_UNSPECIFIED: _ClassVar[Directive]
    DIRECTIVE_CANCEL: _ClassVar[Directive]
    DIRECTIVE_PAUSE: _ClassVar[Directive]

class JobView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_VIEW_UNSPECIFIED: _ClassVar[JobView]
    JOB_VIEW_BASIC: _ClassVar[JobView]
    JOB_VIEW_FULL: _ClassVar[JobView]

class Visibility(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VISIBILITY_UNSPECIFIED: _ClassVar[Visibility]
    VISIBILITY_ACTIVE: _ClassVar[Visibility]
    VISIBILITY_HIDDEN: _ClassVar[Visibility]
    VISIBILITY_ALL: _ClassVar[Visibility]

class JobEventReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_EVENT_REASON_UNSPECIFIED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_CREATED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_ACQUIRED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_MOVED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_ATTEMPT_FAILED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_RELEASED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_EXPIRED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_CANCELLED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_CANCEL_REQUESTED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_PAUSED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_PAUSE_REQUESTED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_RESUMED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_RETRIED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_DEADLINE_PASSED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_DUE: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_UPDATED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_DELETED: _ClassVar[JobEventReason]
    JOB_EVENT_REASON_UNDELETED: _ClassVar[JobEventReason]
PHASE_UNSPECIFIED: Phase
PHASE_WAITING: Phase
PHASE_ACTIVE: Phase
PHASE_PARKED: Phase
PHASE_STOPPING: Phase
PHASE_SUCCEEDED: Phase
PHASE_FAILED: Phase
PHASE_CANCELLED: Phase
DIRECTIVE_UNSPECIFIED: Directive
DIRECTIVE_CANCEL: Directive
DIRECTIVE_PAUSE: Directive
JOB_VIEW_UNSPECIFIED: JobView
JOB_VIEW_BASIC: JobView
JOB_VIEW_FULL: JobView
VISIBILITY_UNSPECIFIED: Visibility
VISIBILITY_ACTIVE: Visibility
VISIBILITY_HIDDEN: Visibility
VISIBILITY_ALL: Visibility
JOB_EVENT_REASON_UNSPECIFIED: JobEventReason
JOB_EVENT_REASON_CREATED: JobEventReason
JOB_EVENT_REASON_ACQUIRED: JobEventReason
JOB_EVENT_REASON_MOVED: JobEventReason
JOB_EVENT_REASON_ATTEMPT_FAILED: JobEventReason
JOB_EVENT_REASON_RELEASED: JobEventReason
JOB_EVENT_REASON_EXPIRED: JobEventReason
JOB_EVENT_REASON_CANCELLED: JobEventReason
JOB_EVENT_REASON_CANCEL_REQUESTED: JobEventReason
JOB_EVENT_REASON_PAUSED: JobEventReason
JOB_EVENT_REASON_PAUSE_REQUESTED: JobEventReason
JOB_EVENT_REASON_RESUMED: JobEventReason
JOB_EVENT_REASON_RETRIED: JobEventReason
JOB_EVENT_REASON_DEADLINE_PASSED: JobEventReason
JOB_EVENT_REASON_DUE: JobEventReason
JOB_EVENT_REASON_UPDATED: JobEventReason
JOB_EVENT_REASON_DELETED: JobEventReason
JOB_EVENT_REASON_UNDELETED: JobEventReason

class Document(_message.Message):
    __slots__ = ("content", "content_type")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    content_type: str
    def __init__(self, content: _Optional[bytes] = ..., content_type: _Optional[str] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("code", "message", "retryable", "details")
    class DetailsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    retryable: bool
    details: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., retryable: _Optional[bool] = ..., details: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("label", "done", "total", "message")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    label: str
    done: int
    total: int
    message: str
    def __init__(self, label: _Optional[str] = ..., done: _Optional[int] = ..., total: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class RetryPolicy(_message.Message):
    __slots__ = ("max_attempts", "initial_delay", "max_delay", "multiplier")
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    INITIAL_DELAY_FIELD_NUMBER: _ClassVar[int]
    MAX_DELAY_FIELD_NUMBER: _ClassVar[int]
    MULTIPLIER_FIELD_NUMBER: _ClassVar[int]
    max_attempts: int
    initial_delay: _duration_pb2.Duration
    max_delay: _duration_pb2.Duration
    multiplier: float
    def __init__(self, max_attempts: _Optional[int] = ..., initial_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., multiplier: _Optional[float] = ...) -> None: ...

class Lease(_message.Message):
    __slots__ = ("holder", "expire_time", "duration", "heartbeat_time")
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_TIME_FIELD_NUMBER: _ClassVar[int]
    holder: str
    expire_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    heartbeat_time: _timestamp_pb2.Timestamp
    def __init__(self, holder: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., heartbeat_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("id", "queue", "kind", "lifecycle", "lifecycle_version", "state", "phase", "allowed_targets", "priority", "schedule_time", "expire_time", "labels", "retry_policy", "attempt", "version", "fence", "lease", "directive", "cancel_reason", "progress", "phase_index", "payload", "result", "error", "checkpoint", "pinned", "deleted_time", "create_time", "update_time", "start_time", "end_time")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LIFECYCLE_FIELD_NUMBER: _ClassVar[int]
    LIFECYCLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_TARGETS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    RETRY_POLICY_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REASON_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PHASE_INDEX_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    DELETED_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    id: str
    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    state: str
    phase: Phase
    allowed_targets: _containers.RepeatedScalarFieldContainer[str]
    priority: int
    schedule_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    retry_policy: RetryPolicy
    attempt: int
    version: int
    fence: int
    lease: Lease
    directive: Directive
    cancel_reason: str
    progress: Progress
    phase_index: int
    payload: Document
    result: Document
    error: Failure
    checkpoint: Document
    pinned: bool
    deleted_time: _timestamp_pb2.Timestamp
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., queue: _Optional[str] = ..., kind: _Optional[str] = ..., lifecycle: _Optional[str] = ..., lifecycle_version: _Optional[int] = ..., state: _Optional[str] = ..., phase: _Optional[_Union[Phase, str]] = ..., allowed_targets: _Optional[_Iterable[str]] = ..., priority: _Optional[int] = ..., schedule_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., retry_policy: _Optional[_Union[RetryPolicy, _Mapping]] = ..., attempt: _Optional[int] = ..., version: _Optional[int] = ..., fence: _Optional[int] = ..., lease: _Optional[_Union[Lease, _Mapping]] = ..., directive: _Optional[_Union[Directive, str]] = ..., cancel_reason: _Optional[str] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., phase_index: _Optional[int] = ..., payload: _Optional[_Union[Document, _Mapping]] = ..., result: _Optional[_Union[Document, _Mapping]] = ..., error: _Optional[_Union[Failure, _Mapping]] = ..., checkpoint: _Optional[_Union[Document, _Mapping]] = ..., pinned: _Optional[bool] = ..., deleted_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NewJob(_message.Message):
    __slots__ = ("queue", "kind", "lifecycle", "lifecycle_version", "payload", "labels", "priority", "schedule_time", "expire_time", "retry_policy")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LIFECYCLE_FIELD_NUMBER: _ClassVar[int]
    LIFECYCLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    RETRY_POLICY_FIELD_NUMBER: _ClassVar[int]
    queue: str
    kind: str
    lifecycle: str
    lifecycle_version: int
    payload: Document
    labels: _containers.ScalarMap[str, str]
    priority: int
    schedule_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    retry_policy: RetryPolicy
    def __init__(self, queue: _Optional[str] = ..., kind: _Optional[str] = ..., lifecycle: _Optional[str] = ..., lifecycle_version: _Optional[int] = ..., payload: _Optional[_Union[Document, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., priority: _Optional[int] = ..., schedule_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., retry_policy: _Optional[_Union[RetryPolicy, _Mapping]] = ...) -> None: ...

class JobEvent(_message.Message):
    __slots__ = ("job_id", "version", "step", "from_state", "to_state", "reason", "holder", "fence", "attempt", "time")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    FROM_STATE_FIELD_NUMBER: _ClassVar[int]
    TO_STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    version: int
    step: int
    from_state: str
    to_state: str
    reason: JobEventReason
    holder: str
    fence: int
    attempt: int
    time: _timestamp_pb2.Timestamp
    def __init__(self, job_id: _Optional[str] = ..., version: _Optional[int] = ..., step: _Optional[int] = ..., from_state: _Optional[str] = ..., to_state: _Optional[str] = ..., reason: _Optional[_Union[JobEventReason, str]] = ..., holder: _Optional[str] = ..., fence: _Optional[int] = ..., attempt: _Optional[int] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
