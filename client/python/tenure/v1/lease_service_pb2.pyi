# Generated from proto/tenure/v1/lease_service.proto by make generate; do not edit.
import datetime

from buf.validate import validate_pb2 as _validate_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.rpc import status_pb2 as _status_pb2
from tenure.v1 import job_pb2 as _job_pb2
from tenure.v1 import lease_pb2 as _lease_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AcquireLeaseRequest(_message.Message):
    __slots__ = ("holder", "lease_duration", "job_id", "queues", "kinds", "states", "labels", "max_leases", "wait", "request_id")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    MAX_LEASES_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    holder: str
    lease_duration: _duration_pb2.Duration
    job_id: str
    queues: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedScalarFieldContainer[str]
    labels: _containers.ScalarMap[str, str]
    max_leases: int
    wait: _duration_pb2.Duration
    request_id: str
    def __init__(self, holder: _Optional[str] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., job_id: _Optional[str] = ..., queues: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[str]] = ..., labels: _Optional[_Mapping[str, str]] = ..., max_leases: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class AcquireLeaseResponse(_message.Message):
    __slots__ = ("grants", "empty_reason", "poll_after", "replayed", "waited")
    GRANTS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_REASON_FIELD_NUMBER: _ClassVar[int]
    POLL_AFTER_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    WAITED_FIELD_NUMBER: _ClassVar[int]
    grants: _containers.RepeatedCompositeFieldContainer[_lease_pb2.Grant]
    empty_reason: _lease_pb2.EmptyReason
    poll_after: _duration_pb2.Duration
    replayed: bool
    waited: _duration_pb2.Duration
    def __init__(self, grants: _Optional[_Iterable[_Union[_lease_pb2.Grant, _Mapping]]] = ..., empty_reason: _Optional[_Union[_lease_pb2.EmptyReason, str]] = ..., poll_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., replayed: _Optional[bool] = ..., waited: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RenewRequest(_message.Message):
    __slots__ = ("job_id", "token", "lease_duration", "progress", "expected_version")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    token: bytes
    lease_duration: _duration_pb2.Duration
    progress: _job_pb2.Progress
    expected_version: int
    def __init__(self, job_id: _Optional[str] = ..., token: _Optional[bytes] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., progress: _Optional[_Union[_job_pb2.Progress, _Mapping]] = ..., expected_version: _Optional[int] = ...) -> None: ...

class RenewResponse(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: _lease_pb2.LeaseStatus
    def __init__(self, lease: _Optional[_Union[_lease_pb2.LeaseStatus, _Mapping]] = ...) -> None: ...

class BatchRenewRequest(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[RenewRequest]
    def __init__(self, items: _Optional[_Iterable[_Union[RenewRequest, _Mapping]]] = ...) -> None: ...

class BatchRenewResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RenewResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RenewResult, _Mapping]]] = ...) -> None: ...

class RenewResult(_message.Message):
    __slots__ = ("lease", "error")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    lease: _lease_pb2.LeaseStatus
    error: _status_pb2.Status
    def __init__(self, lease: _Optional[_Union[_lease_pb2.LeaseStatus, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class TransitionRequest(_message.Message):
    __slots__ = ("job_id", "token", "to", "result", "error", "progress", "checkpoint", "phase_index", "expected_version", "acquire_next")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    PHASE_INDEX_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACQUIRE_NEXT_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    token: bytes
    to: str
    result: _job_pb2.Document
    error: _job_pb2.Failure
    progress: _job_pb2.Progress
    checkpoint: _job_pb2.Document
    phase_index: int
    expected_version: int
    acquire_next: AcquireLeaseRequest
    def __init__(self, job_id: _Optional[str] = ..., token: _Optional[bytes] = ..., to: _Optional[str] = ..., result: _Optional[_Union[_job_pb2.Document, _Mapping]] = ..., error: _Optional[_Union[_job_pb2.Failure, _Mapping]] = ..., progress: _Optional[_Union[_job_pb2.Progress, _Mapping]] = ..., checkpoint: _Optional[_Union[_job_pb2.Document, _Mapping]] = ..., phase_index: _Optional[int] = ..., expected_version: _Optional[int] = ..., acquire_next: _Optional[_Union[AcquireLeaseRequest, _Mapping]] = ...) -> None: ...

class TransitionResponse(_message.Message):
    __slots__ = ("job", "replayed", "grants")
    JOB_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    GRANTS_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    replayed: bool
    grants: _containers.RepeatedCompositeFieldContainer[_lease_pb2.Grant]
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ..., replayed: _Optional[bool] = ..., grants: _Optional[_Iterable[_Union[_lease_pb2.Grant, _Mapping]]] = ...) -> None: ...

class BatchTransitionRequest(_message.Message):
    __slots__ = ("items", "acquire_next")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    ACQUIRE_NEXT_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[TransitionRequest]
    acquire_next: AcquireLeaseRequest
    def __init__(self, items: _Optional[_Iterable[_Union[TransitionRequest, _Mapping]]] = ..., acquire_next: _Optional[_Union[AcquireLeaseRequest, _Mapping]] = ...) -> None: ...

class BatchTransitionResponse(_message.Message):
    __slots__ = ("results", "grants")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    GRANTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[TransitionResult]
    grants: _containers.RepeatedCompositeFieldContainer[_lease_pb2.Grant]
    def __init__(self, results: _Optional[_Iterable[_Union[TransitionResult, _Mapping]]] = ..., grants: _Optional[_Iterable[_Union[_lease_pb2.Grant, _Mapping]]] = ...) -> None: ...

class TransitionResult(_message.Message):
    __slots__ = ("state", "phase", "version", "replayed", "error")
    STATE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    state: str
    phase: _job_pb2.Phase
    version: int
    replayed: bool
    error: _status_pb2.Status
    def __init__(self, state: _Optional[str] = ..., phase: _Optional[_Union[_job_pb2.Phase, str]] = ..., version: _Optional[int] = ..., replayed: _Optional[bool] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class ReleaseRequest(_message.Message):
    __slots__ = ("job_id", "token", "delay", "count_attempt")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    COUNT_ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    token: bytes
    delay: _duration_pb2.Duration
    count_attempt: bool
    def __init__(self, job_id: _Optional[str] = ..., token: _Optional[bytes] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., count_attempt: _Optional[bool] = ...) -> None: ...

class ReleaseResponse(_message.Message):
    __slots__ = ("job", "replayed")
    JOB_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    job: _job_pb2.Job
    replayed: bool
    def __init__(self, job: _Optional[_Union[_job_pb2.Job, _Mapping]] = ..., replayed: _Optional[bool] = ...) -> None: ...

class BatchReleaseRequest(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[ReleaseRequest]
    def __init__(self, items: _Optional[_Iterable[_Union[ReleaseRequest, _Mapping]]] = ...) -> None: ...

class BatchReleaseResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ReleaseResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ReleaseResult, _Mapping]]] = ...) -> None: ...

class ReleaseResult(_message.Message):
    __slots__ = ("state", "phase", "version", "replayed", "error")
    STATE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    state: str
    phase: _job_pb2.Phase
    version: int
    replayed: bool
    error: _status_pb2.Status
    def __init__(self, state: _Optional[str] = ..., phase: _Optional[_Union[_job_pb2.Phase, str]] = ..., version: _Optional[int] = ..., replayed: _Optional[bool] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class ReportProgressRequest(_message.Message):
    __slots__ = ("job_id", "token", "progress", "expected_version")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    token: bytes
    progress: _job_pb2.Progress
    expected_version: int
    def __init__(self, job_id: _Optional[str] = ..., token: _Optional[bytes] = ..., progress: _Optional[_Union[_job_pb2.Progress, _Mapping]] = ..., expected_version: _Optional[int] = ...) -> None: ...

class ReportProgressResponse(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: _lease_pb2.LeaseStatus
    def __init__(self, lease: _Optional[_Union[_lease_pb2.LeaseStatus, _Mapping]] = ...) -> None: ...

class SaveCheckpointRequest(_message.Message):
    __slots__ = ("job_id", "token", "checkpoint", "phase_index", "progress", "expected_version")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    PHASE_INDEX_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    token: bytes
    checkpoint: _job_pb2.Document
    phase_index: int
    progress: _job_pb2.Progress
    expected_version: int
    def __init__(self, job_id: _Optional[str] = ..., token: _Optional[bytes] = ..., checkpoint: _Optional[_Union[_job_pb2.Document, _Mapping]] = ..., phase_index: _Optional[int] = ..., progress: _Optional[_Union[_job_pb2.Progress, _Mapping]] = ..., expected_version: _Optional[int] = ...) -> None: ...

class SaveCheckpointResponse(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: _lease_pb2.LeaseStatus
    def __init__(self, lease: _Optional[_Union[_lease_pb2.LeaseStatus, _Mapping]] = ...) -> None: ...
