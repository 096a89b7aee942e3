"""From what gRPC raises, and from the status of a batch item, to the errors of this package."""

from __future__ import annotations

from typing import Protocol, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from tenure.errors import BY_CODE, BY_REASON, TenureError
from tenure.model.times import seconds_of

_DOMAIN = "tenure"
_DETAILS_KEY = "grpc-status-details-bin"

Detail = TypeVar("Detail", bound=Message)


class _EndedCall(Protocol):
    """What the errors of both kinds of channel offer."""

    def code(self) -> grpc.StatusCode: ...
    def details(self) -> str | None: ...
    def trailing_metadata(self) -> grpc.aio.Metadata | None: ...


def error_from_call(error: grpc.RpcError) -> TenureError:
    """Return the error that a failed call stands for."""
    call: _EndedCall = error  # type: ignore[assignment]  # grpc raises errors that are calls, untyped
    return _error(call.code().name, call.details() or "", _status(call))


def error_from_status(status: Status) -> TenureError:
    """Return the error that a refused item of a batch stands for."""
    return _error(Code.Name(status.code) if status.code in Code.values() else "UNKNOWN", "", status)


def _error(code: str, details: str, status: Status) -> TenureError:
    info, pause = _detail(status, ErrorInfo), _detail(status, RetryInfo)
    reason = info.reason if info is not None and info.domain == _DOMAIN else None
    kind = BY_REASON.get(reason or "") or BY_CODE.get(code, TenureError)
    return kind(
        status.message or details or code,
        reason=reason,
        code=code,
        metadata=info.metadata if info is not None else None,
        retry_after=seconds_of(pause.retry_delay) if pause is not None else None,
    )


def _status(call: _EndedCall) -> Status:
    for key, value in call.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                return Status.FromString(value)
            except DecodeError:
                break
    return Status()


def _detail(status: Status, kind: type[Detail]) -> Detail | None:
    found = kind()
    return found if any(packed.Unpack(found) for packed in status.details) else None
