"""How often work is tried, and how long it rests in between."""

import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple, Self
from uuid import UUID

DEFAULT_INITIAL_DELAY = timedelta(seconds=1)
DEFAULT_MAX_DELAY = timedelta(minutes=5)
DEFAULT_MULTIPLIER = 2.0


class RetryPolicy(NamedTuple):
    """Attempts, and the exponential delay between them."""

    max_attempts: int = 1
    initial_delay: timedelta = DEFAULT_INITIAL_DELAY
    max_delay: timedelta = DEFAULT_MAX_DELAY
    multiplier: float = DEFAULT_MULTIPLIER

    @classmethod
    def of(
        cls,
        max_attempts: int,
        initial_delay: timedelta | None,
        max_delay: timedelta | None,
        multiplier: float | None,
    ) -> Self:
        """The policy with defaults for what is None."""
        return cls(
            max_attempts,
            DEFAULT_INITIAL_DELAY if initial_delay is None else initial_delay,
            DEFAULT_MAX_DELAY if max_delay is None else max_delay,
            DEFAULT_MULTIPLIER if multiplier is None else multiplier,
        )

    def delay(self, attempt: int, *, exponential: bool = True) -> timedelta:
        """The full delay after this attempt, from 1; never above max_delay, whatever the attempt."""
        if not exponential:
            return min(self.initial_delay, self.max_delay)
        ceiling = self.max_delay.total_seconds()
        seconds = self.initial_delay.total_seconds()
        for _ in range(attempt - 1):
            if seconds >= ceiling or self.multiplier == 1:
                break
            seconds *= self.multiplier
        return timedelta(seconds=min(seconds, ceiling))


def next_attempt_time(
    policy: RetryPolicy, job_id: UUID, attempt: int, at: datetime, *, exponential: bool, jitter: bool
) -> datetime:
    """When the attempt after this one may start.

    With jitter between a half and the whole of the delay is waited. The part is drawn from the job
    and the attempt, so that a decision taken again is the same.
    """
    delay = policy.delay(attempt, exponential=exponential)
    if jitter:
        drawn = hashlib.sha256(job_id.bytes + attempt.to_bytes(8)).digest()
        delay *= 0.5 + int.from_bytes(drawn[:4]) / 2**33
    return at + delay
