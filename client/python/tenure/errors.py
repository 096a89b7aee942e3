"""Every error a call can raise, one class per reason of the API.

TenureError
├── InvalidField             a field of the request breaks a rule
├── NotFound                 JobNotFound, TransferNotFound, LifecycleNotFound
├── Reused                   IdempotencyKeyReused, RequestIdReused
├── VersionMismatch          `expected_version` is not the current version
├── TransferRefusal          ChunkConflict, FileIdentityMismatch, ChunksMissing, TransferClosed
├── WatchPositionTooOld      history before the cursor was pruned
├── LeaseLost                the token was superseded, expired or released: final
├── LifecycleRefusal         IllegalTransition, UnexpectedState, CannotCancel, NotRetryable,
│                            JobTerminal, StillDraining
├── BoundReached             QueueFull, ByteBudgetExceeded, ConcurrencyLimit, TooManyWaiters,
│                            RateLimited, SlowReader
├── Denied                   Unauthenticated, ScopeDenied
├── Unavailable              DatabaseUnavailable, ServerDraining, JobBusy, OutcomeUnknown
├── DeadlineExceeded         no answer in time; the call may have had its effect
└── DocumentTampered, SchemaTooNew, CallCancelled

A reason that a newer server gives and this client does not know arrives as the nearest parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class TenureError(Exception):
    """A refusal: `reason` stays the same over releases, `message` may change.

    `metadata` has every value the message tells, `code` is the name of the gRPC status, and
    `retry_after` says in how many seconds the server would like to be asked again, if it said so.
    """

    reason: str = ""
    code: str = ""
    temporary: ClassVar[bool] = False
    """Whether the same call, sent again with the same request id, may succeed."""

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        code: str | None = None,
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = type(self).reason if reason is None else reason
        self.code = type(self).code if code is None else code
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.retry_after = retry_after


class InvalidField(TenureError):
    """A field of the request breaks a rule; metadata names `field` and `rule`."""

    reason = "INVALID_FIELD"
    code = "INVALID_ARGUMENT"


class NotFound(TenureError):
    """What was named does not exist in the caller's scope."""

    code = "NOT_FOUND"


class JobNotFound(NotFound):
    reason = "JOB_NOT_FOUND"


class TransferNotFound(NotFound):
    reason = "TRANSFER_NOT_FOUND"


class LifecycleNotFound(NotFound):
    reason = "LIFECYCLE_NOT_FOUND"


class Reused(TenureError):
    """A key or an id that stands for something else was used again."""

    code = "ALREADY_EXISTS"


class IdempotencyKeyReused(Reused):
    """The idempotency key belongs to a job created from a different request."""

    reason = "IDEMPOTENCY_KEY_REUSED"


class RequestIdReused(Reused):
    """The request id was used for a different call."""

    reason = "REQUEST_ID_REUSED"


class VersionMismatch(TenureError):
    """expected_version is not the current version: read, decide and try again."""

    reason = "VERSION_MISMATCH"
    code = "ABORTED"


class TransferRefusal(TenureError):
    """The facts of a transfer say no."""

    code = "FAILED_PRECONDITION"


class ChunkConflict(TransferRefusal):
    reason = "CHUNK_CONFLICT"


class FileIdentityMismatch(TransferRefusal):
    reason = "FILE_IDENTITY_MISMATCH"


class ChunksMissing(TransferRefusal):
    reason = "CHUNKS_MISSING"


class TransferClosed(TransferRefusal):
    reason = "TRANSFER_CLOSED"


class WatchPositionTooOld(TenureError):
    """History before the cursor was pruned: list, then watch from now."""

    reason = "WATCH_POSITION_TOO_OLD"
    code = "OUT_OF_RANGE"


class LeaseLost(TenureError):
    """The lease was superseded, ran out or was released. Final: stop the work, do not try again."""

    reason = "LEASE_LOST"
    code = "FAILED_PRECONDITION"


class LifecycleRefusal(TenureError):
    """The job's lifecycle does not allow this now."""

    code = "FAILED_PRECONDITION"


class IllegalTransition(LifecycleRefusal):
    """The lifecycle has no such edge; metadata has `from`, `to`, `allowed`."""

    reason = "ILLEGAL_TRANSITION"


class UnexpectedState(LifecycleRefusal):
    reason = "UNEXPECTED_STATE"


class CannotCancel(LifecycleRefusal):
    reason = "CANNOT_CANCEL"


class NotRetryable(LifecycleRefusal):
    reason = "NOT_RETRYABLE"


class JobTerminal(LifecycleRefusal):
    reason = "JOB_TERMINAL"


class StillDraining(LifecycleRefusal):
    """The holder of the paused job has not handed it back yet."""

    reason = "STILL_DRAINING"


class BoundReached(TenureError):
    """A stated bound was met; `retry_after` says when to try again."""

    code = "RESOURCE_EXHAUSTED"
    temporary = True


class QueueFull(BoundReached):
    reason = "QUEUE_FULL"


class ByteBudgetExceeded(BoundReached):
    reason = "BYTE_BUDGET_EXCEEDED"


class ConcurrencyLimit(BoundReached):
    reason = "CONCURRENCY_LIMIT"


class TooManyWaiters(BoundReached):
    reason = "TOO_MANY_WAITERS"


class RateLimited(BoundReached):
    reason = "RATE_LIMITED"


class SlowReader(BoundReached):
    """The reader of a stream did not keep up; resume from the last cursor."""

    reason = "SLOW_READER"


class Denied(TenureError):
    """The caller may not do this."""


class Unauthenticated(Denied):
    """No credential, or one that is not valid."""

    reason = "UNAUTHENTICATED"
    code = "UNAUTHENTICATED"


class ScopeDenied(Denied):
    """The credential does not allow this call."""

    reason = "SCOPE_DENIED"
    code = "PERMISSION_DENIED"


class Unavailable(TenureError):
    """Nobody could answer now; the same call with the same request id or token may be sent again."""

    code = "UNAVAILABLE"
    temporary = True


class DatabaseUnavailable(Unavailable):
    reason = "DATABASE_UNAVAILABLE"


class ServerDraining(Unavailable):
    reason = "SERVER_DRAINING"


class JobBusy(Unavailable):
    """The job's row stayed locked by someone else."""

    reason = "JOB_BUSY"


class OutcomeUnknown(Unavailable):
    """The answer to the commit was lost; ask again with the same request id or token."""

    reason = "OUTCOME_UNKNOWN"


class DeadlineExceeded(TenureError):
    """No answer came in time. The call may have had its effect; it may be sent again like Unavailable."""

    code = "DEADLINE_EXCEEDED"
    temporary = True


class CallCancelled(TenureError):
    """The server, or something on the way to it, ended the call."""

    code = "CANCELLED"
    temporary = True


class DocumentTampered(TenureError):
    """A stored document does not match its checksum or seal."""

    reason = "DOCUMENT_TAMPERED"
    code = "DATA_LOSS"


class SchemaTooNew(TenureError):
    """The database was migrated by a newer Tenure."""

    reason = "SCHEMA_TOO_NEW"
    code = "FAILED_PRECONDITION"


def _all_below(parent: type[TenureError]) -> list[type[TenureError]]:
    return [kind for child in parent.__subclasses__() for kind in (child, *_all_below(child))]


BY_REASON: Mapping[str, type[TenureError]] = {
    kind.reason: kind for kind in _all_below(TenureError) if "reason" in vars(kind)
}
BY_CODE: Mapping[str, type[TenureError]] = {
    kind.code: kind for kind in (NotFound, BoundReached, Unauthenticated, ScopeDenied, Unavailable,
                                 DeadlineExceeded, CallCancelled)
}  # fmt: skip
