"""From domain errors to what goes over the wire: the one table, and the one place that makes a status."""

import logging
from collections.abc import Iterator, Mapping
from traceback import format_tb
from types import MappingProxyType
from typing import Final

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, PreconditionFailure, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from tenure_server.domain.errors import BoundReached, InvalidField, TenureError, TryAgain
from tenure_server.rpc.callers import OutOfTime

log = logging.getLogger(__name__)

DOMAIN: Final = "tenure"
MESSAGE_LENGTH: Final = 1024
VALUE_LENGTH: Final = 256

CODES: Final[Mapping[str, StatusCode]] = MappingProxyType(
    {
        "INVALID_FIELD": StatusCode.INVALID_ARGUMENT,
        "JOB_NOT_FOUND": StatusCode.NOT_FOUND,
        "TRANSFER_NOT_FOUND": StatusCode.NOT_FOUND,
        "LIFECYCLE_NOT_FOUND": StatusCode.NOT_FOUND,
        "IDEMPOTENCY_KEY_REUSED": StatusCode.ALREADY_EXISTS,
        "REQUEST_ID_REUSED": StatusCode.ALREADY_EXISTS,
        "VERSION_MISMATCH": StatusCode.ABORTED,
        "CHUNK_CONFLICT": StatusCode.FAILED_PRECONDITION,
        "FILE_IDENTITY_MISMATCH": StatusCode.FAILED_PRECONDITION,
        "CHUNKS_MISSING": StatusCode.FAILED_PRECONDITION,
        "TRANSFER_CLOSED": StatusCode.FAILED_PRECONDITION,
        "WATCH_POSITION_TOO_OLD": StatusCode.OUT_OF_RANGE,
        "LEASE_LOST": StatusCode.FAILED_PRECONDITION,
        "ILLEGAL_TRANSITION": StatusCode.FAILED_PRECONDITION,
        "UNEXPECTED_STATE": StatusCode.FAILED_PRECONDITION,
        "CANNOT_CANCEL": StatusCode.FAILED_PRECONDITION,
        "NOT_RETRYABLE": StatusCode.FAILED_PRECONDITION,
        "JOB_TERMINAL": StatusCode.FAILED_PRECONDITION,
        "STILL_DRAINING": StatusCode.FAILED_PRECONDITION,
        "QUEUE_FULL": StatusCode.RESOURCE_EXHAUSTED,
        "BYTE_BUDGET_EXCEEDED": StatusCode.RESOURCE_EXHAUSTED,
        "CONCURRENCY_LIMIT": StatusCode.RESOURCE_EXHAUSTED,
        "TOO_MANY_WAITERS": StatusCode.RESOURCE_EXHAUSTED,
        "RATE_LIMITED": StatusCode.RESOURCE_EXHAUSTED,
        "SLOW_READER": StatusCode.RESOURCE_EXHAUSTED,
        "UNAUTHENTICATED": StatusCode.UNAUTHENTICATED,
        "SCOPE_DENIED": StatusCode.PERMISSION_DENIED,
        "DATABASE_UNAVAILABLE": StatusCode.UNAVAILABLE,
        "SERVER_DRAINING": StatusCode.UNAVAILABLE,
        "JOB_BUSY": StatusCode.UNAVAILABLE,
        "OUTCOME_UNKNOWN": StatusCode.UNAVAILABLE,
        "DOCUMENT_TAMPERED": StatusCode.DATA_LOSS,
        "SCHEMA_TOO_NEW": StatusCode.FAILED_PRECONDITION,
    }
)
"""Every ErrorReason, and the code it comes with."""

BY_NUMBER: Final[Mapping[int, StatusCode]] = MappingProxyType({code.value[0]: code for code in StatusCode})


def status_of(error: Exception) -> Status:
    """What a caller is told: a refusal with its reason and details, anything else as an internal error."""
    if isinstance(error, TenureError):
        code = CODES[error.reason]
        details = [_packed(detail) for detail in _details(error, code)]
        return Status(code=code.value[0], message=_safe(error.message, MESSAGE_LENGTH), details=details)
    if isinstance(error, OutOfTime):
        return Status(code=StatusCode.DEADLINE_EXCEEDED.value[0], message="the call's deadline is too near")
    return Status(code=StatusCode.INTERNAL.value[0], message="internal error")


def item_error(error: Exception) -> Status:
    """The same for one item of a batch; what nobody foresaw is logged."""
    log_unforeseen(error, "an item")
    return status_of(error)


def log_unforeseen(error: BaseException, where: str) -> None:
    """Log an error that is no refusal, with the places it came through.

    Its own text is left out: a database's may tell a caller's values.
    """
    if not isinstance(error, TenureError | OutOfTime):
        log.error("%s failed: %s", where, "".join(_trace(error)))


def _details(error: TenureError, code: StatusCode) -> Iterator[Message]:
    metadata = {key: _safe(value, VALUE_LENGTH) for key, value in error.metadata.items()}
    yield ErrorInfo(domain=DOMAIN, reason=error.reason, metadata=metadata)
    if isinstance(error, InvalidField):
        field, rule = _safe(error.field, VALUE_LENGTH), _safe(error.rule, MESSAGE_LENGTH)
        yield BadRequest(field_violations=[BadRequest.FieldViolation(field=field, description=rule)])
    elif code is StatusCode.FAILED_PRECONDITION:
        violation = PreconditionFailure.Violation(
            type=error.reason,
            subject=metadata.get("job_id", ""),
            description=_safe(error.message, MESSAGE_LENGTH),
        )
        yield PreconditionFailure(violations=[violation])
    elif isinstance(error, BoundReached | TryAgain):
        yield RetryInfo(retry_delay=error.retry_after)


def _packed(detail: Message) -> Any:
    packed = Any()
    packed.Pack(detail)
    return packed


def _safe(text: str, length: int) -> str:
    """Printable ASCII, cut to a length: it goes into headers, logs and terminals."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            char if char.isascii() and char.isprintable() else char.encode("unicode_escape").decode()
            for char in text[:length]
        )
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _trace(error: BaseException) -> Iterator[str]:
    cause = error.__cause__ or error.__context__
    if cause is not None and cause is not error:
        yield from _trace(cause)
        yield "which led to "
    yield f"{type(error).__module__}.{type(error).__qualname__} from\n"
    yield from format_tb(error.__traceback__)
