"""What a lifecycle asks of those who create jobs of it."""

from datetime import datetime

from tenure_server.domain.errors import InvalidField
from tenure_server.domain.job import NewJob, digest
from tenure_server.domain.lifecycle import Lifecycle
from tenure_server.domain.lifecycle_bounds import KeyUse, Unit


def require_key(lifecycle: Lifecycle, key: str) -> None:
    """Raise InvalidField unless the idempotency key is one this lifecycle takes; empty means none."""
    rule = lifecycle.create.key
    if not key:
        if rule.use is KeyUse.REQUIRED:
            raise InvalidField("idempotency_key", f"is required by lifecycle {lifecycle.name}")
        return
    if rule.use is KeyUse.NONE:
        raise InvalidField("idempotency_key", f"is not taken by lifecycle {lifecycle.name}; leave it out")
    size = len(key.encode()) if rule.unit is Unit.BYTES else len(key)
    if not rule.minimum <= size <= rule.maximum:
        raise InvalidField("idempotency_key", f"must be {rule.minimum} to {rule.maximum} {rule.unit} long")


def expire_time(new: NewJob, lifecycle: Lifecycle, at: datetime) -> datetime | None:
    """The deadline its creator gave, or else the one its lifecycle gives every job."""
    if new.expire_time is not None:
        return new.expire_time
    rule = lifecycle.deadline
    return None if rule is None or rule.after is None else at + rule.after


def fingerprint(new: NewJob, lifecycle: Lifecycle) -> bytes:
    """What tells a repeated creation from a different one: what the lifecycle says it covers."""
    rule = lifecycle.create
    said = new.said()
    covered = rule.covers or frozenset(said) - rule.leaves_out
    return digest({name: value for name, value in said.items() if name in covered})
