"""Every refusal Tenure can give, one class per reason.

TenureError
├── InvalidField             a field of the request breaks a rule
├── NotFound                 JobNotFound, LifecycleNotFound
├── IdempotencyKeyReused     the key is known, the request behind it was another one
├── RequestIdReused          the request id is known, the call behind it was another one
├── VersionMismatch          `expected_version` is not the current version
├── LeaseLost                the token was superseded, expired or released: final
├── LifecycleRefusal         IllegalTransition, UnexpectedState, CannotCancel, NotRetryable,
│                            JobTerminal, StillDraining
├── BoundReached             ConcurrencyLimit, TooManyWaiters, SlowReader
├── WatchPositionTooOld      history before the cursor was pruned
├── TryAgain                 DatabaseUnavailable, ServerDraining, JobBusy, OutcomeUnknown
└── SchemaTooNew             the database belongs to a newer Tenure

Values given to an error become its metadata; the message is built from them here and nowhere else.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar


class TenureError(Exception):
    """A refusal with one documented reason.

    `reason` is a value of `ErrorReason` without its prefix; `metadata` holds every value that the
    message tells, as text.
    """

    reason: ClassVar[str]

    def __init__(self, message: str, **metadata: object) -> None:
        super().__init__(message)
        self.message = message
        self.metadata = {key: str(value) for key, value in metadata.items() if value is not None}


class InvalidField(TenureError):
    """A field of the request breaks a rule; `field` is its path in the request."""

    reason = "INVALID_FIELD"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}", field=field, rule=rule)
        self.field = field
        self.rule = rule


class NotFound(TenureError):
    """What was named does not exist in the caller's scope."""


class JobNotFound(NotFound):
    """No such job in the caller's scope."""

    reason = "JOB_NOT_FOUND"

    def __init__(self, job_id: object) -> None:
        super().__init__(f"there is no job {job_id}", job_id=job_id)


class LifecycleNotFound(NotFound):
    """No such lifecycle, or no such version of it."""

    reason = "LIFECYCLE_NOT_FOUND"

    def __init__(self, name: str, version: int | None = None) -> None:
        shown = name if version is None else f"{name} version {version}"
        super().__init__(f"there is no lifecycle {shown}", lifecycle=name, version=version)


class IdempotencyKeyReused(TenureError):
    """The idempotency key belongs to a job that was created from another request."""

    reason = "IDEMPOTENCY_KEY_REUSED"

    def __init__(self, job_id: object) -> None:
        super().__init__(
            f"the idempotency key belongs to job {job_id}, which was created from a different request",
            job_id=job_id,
        )


class RequestIdReused(TenureError):
    """The request id was used for another call before."""

    reason = "REQUEST_ID_REUSED"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            "the request id was used for a different call; give every call an id of its own",
            request_id=request_id,
        )


class VersionMismatch(TenureError):
    """The job is not at the version the caller expected."""

    reason = "VERSION_MISMATCH"

    def __init__(self, job_id: object, expected: int | None, actual: int | None) -> None:
        super().__init__(
            f"job {job_id} is at version {actual}, not {expected}; read it and decide again",
            job_id=job_id,
            expected_version=expected,
            version=actual,
        )


class LeaseLost(TenureError):
    """The token is not the current, unexpired one of this job. Final: do not try again."""

    reason = "LEASE_LOST"

    def __init__(self, job_id: object, cause: str) -> None:
        super().__init__(
            f"the lease of job {job_id} is lost: the token {cause}; stop working on it",
            job_id=job_id,
            cause=cause,
        )


class LifecycleRefusal(TenureError):
    """The job's lifecycle does not allow this now."""

    def __init__(self, message: str, **metadata: object) -> None:
        super().__init__(message, **metadata)
        self.subject = self.metadata.get("job_id", "")


class IllegalTransition(LifecycleRefusal):
    """The lifecycle has no such edge from the job's present state."""

    reason = "ILLEGAL_TRANSITION"

    def __init__(self, job_id: object, source: str, target: str, allowed: Sequence[str]) -> None:
        listed = ", ".join(allowed)
        ways = f"from here: {listed}" if listed else "nothing leads on from here"
        super().__init__(
            f"job {job_id} cannot go from {source} to {target}; {ways}",
            job_id=job_id,
            **{"from": source, "to": target, "allowed": listed},
        )


class UnexpectedState(LifecycleRefusal):
    """The verb is not offered in the job's present state."""

    reason = "UNEXPECTED_STATE"

    def __init__(self, job_id: object, verb: str, state: str) -> None:
        super().__init__(
            f"job {job_id} is {state}, where {verb} is not allowed", job_id=job_id, verb=verb, state=state
        )


class CannotCancel(LifecycleRefusal):
    """The job is past the point where it can be cancelled."""

    reason = "CANNOT_CANCEL"

    def __init__(self, job_id: object, state: str) -> None:
        super().__init__(f"job {job_id} is {state}, past the point of no return", job_id=job_id, state=state)


class NotRetryable(LifecycleRefusal):
    """The lifecycle offers no Retry from the job's present state."""

    reason = "NOT_RETRYABLE"

    def __init__(self, job_id: object, state: str, retryable: Sequence[str]) -> None:
        listed = ", ".join(retryable) or "none"
        super().__init__(
            f"job {job_id} is {state}; Retry is offered from: {listed}",
            job_id=job_id,
            state=state,
            retryable=listed,
        )


class JobTerminal(LifecycleRefusal):
    """The job has ended."""

    reason = "JOB_TERMINAL"

    def __init__(self, job_id: object, state: str) -> None:
        super().__init__(f"job {job_id} has ended as {state}", job_id=job_id, state=state)


class StillDraining(LifecycleRefusal):
    """The holder has not finished handing the job back."""

    reason = "STILL_DRAINING"

    def __init__(self, job_id: object, state: str) -> None:
        super().__init__(
            f"job {job_id} is {state} but its holder still has the lease; try again when it is released",
            job_id=job_id,
            state=state,
        )


class BoundReached(TenureError):
    """A stated bound was met; worth trying again after `retry_after`."""

    retry_after = timedelta(seconds=1)


class ConcurrencyLimit(BoundReached):
    """As many jobs are active as the bound allows."""

    reason = "CONCURRENCY_LIMIT"

    def __init__(self, subject: str, active: int, limit: int) -> None:
        super().__init__(
            f"{subject} has {active} active jobs of at most {limit}",
            subject=subject,
            active=active,
            limit=limit,
        )


class TooManyWaiters(BoundReached):
    """As many calls wait as the server allows."""

    reason = "TOO_MANY_WAITERS"

    def __init__(self, bound: str, limit: int) -> None:
        super().__init__(f"{limit} calls already wait ({bound})", bound=bound, limit=limit)


class SlowReader(BoundReached):
    """A stream was cut because its reader did not keep up."""

    reason = "SLOW_READER"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"{limit} messages were waiting to be read; resume from the last cursor", limit=limit
        )


class WatchPositionTooOld(TenureError):
    """The history after this cursor is no longer complete."""

    reason = "WATCH_POSITION_TOO_OLD"

    def __init__(self) -> None:
        super().__init__("history after this cursor was pruned; list the jobs, then watch from now")


class TryAgain(TenureError):
    """Nothing is wrong with the request: try again with the same request id."""

    retry_after = timedelta(seconds=1)


class DatabaseUnavailable(TryAgain):
    """The database did not answer or did not accept writes."""

    reason = "DATABASE_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("the database is not available; try again")


class ServerDraining(TryAgain):
    """The server is shutting down and takes no new waits."""

    reason = "SERVER_DRAINING"

    def __init__(self) -> None:
        super().__init__("this server is shutting down; try again, it will be another one")


class JobBusy(TryAgain):
    """The row stayed locked by someone else until the deadline."""

    reason = "JOB_BUSY"
    retry_after = timedelta(milliseconds=100)

    def __init__(self, job_id: object) -> None:
        super().__init__(f"job {job_id} is being changed by someone else; try again", job_id=job_id)


class OutcomeUnknown(TryAgain):
    """The connection was lost while the change was being committed."""

    reason = "OUTCOME_UNKNOWN"

    def __init__(self) -> None:
        super().__init__("the database's answer was lost; ask again with the same request id or token")


class SchemaTooNew(TenureError):
    """The database was migrated by a newer Tenure."""

    reason = "SCHEMA_TOO_NEW"

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"the database has schema version {found}, this Tenure knows {known}; start a newer Tenure",
            found=found,
            known=known,
        )


class LifecycleInvalid(InvalidField):
    """A lifecycle document breaks a rule; `field` is the path in it, `line` counts from 1.

    `origin` names the document the line is in when it is not the one that was given, but one it extends.
    """

    def __init__(self, field: str, line: int, rule: str, origin: str = "") -> None:
        super().__init__(field, rule)
        place = f"line {line} of {origin}" if origin else f"line {line}"
        self.message = f"{place}: {field}: {rule}"
        self.args = (self.message,)
        self.line = line
        self.metadata["line"] = str(line)
