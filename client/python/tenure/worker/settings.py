"""What a worker is told once, at the start."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_HOLDER_LENGTH = 128
_PREFETCH_REST = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """Times are in seconds; the four words are states of the jobs' lifecycle."""

    queues: Sequence[str]
    concurrency: int
    prefetch: int
    lease_duration: float
    holder: str
    grace: float
    wait: float
    labels: Mapping[str, str]
    success: str
    failure: str
    cancelled: str
    paused: str

    def __post_init__(self) -> None:
        if isinstance(self.queues, str) or not self.queues:
            raise ValueError("queues must be a list of one or more names")
        if self.concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        if self.prefetch < 0 or self.grace < 0:
            raise ValueError("prefetch and grace must not be negative")

    def prefetched(self, mean_run: float | None) -> int:
        """Return how many jobs may be leased ahead, given how long one runs.

        As many as begin within a second, or a tenth of the lease: others could have run the rest.
        """
        if mean_run is None:
            return 0
        rest = min(_PREFETCH_REST, self.lease_duration / 10)
        return min(self.prefetch, int(self.concurrency * rest / max(mean_run, 1e-6)))


def default_holder() -> str:
    """Return an id that no other process has: host, process and a random part."""
    unique = f":{os.getpid()}:{secrets.token_hex(4)}"
    return socket.gethostname()[: _HOLDER_LENGTH - len(unique)] + unique
