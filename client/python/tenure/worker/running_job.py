"""A job as its handler sees it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Any

from tenure.async_client import AsyncClient
from tenure.errors import LeaseLost
from tenure.held_lease import HeldLease
from tenure.lease_keeper import LeaseKeeper
from tenure.model.document import Content
from tenure.model.job import Job, Progress
from tenure.model.lease import Grant


class Cancelled(Exception):
    """Someone cancelled the job. Let it pass, after cleaning up: the job is then moved on."""


class Paused(Exception):
    """Someone asked for a pause. Save a checkpoint and let it pass: the job is then handed back."""


class Reject(Exception):
    """Raised by a handler: this job can never succeed, another attempt would not help."""

    def __init__(
        self, message: str, *, code: str = "rejected", details: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})


class RunningJob:
    """A leased job. Its lease is renewed until the handler has ended and the outcome is reported."""

    def __init__(self, grant: Grant, lease: HeldLease, client: AsyncClient, keeper: LeaseKeeper) -> None:
        self.job: Job = grant.job
        self.lease = lease
        self.fence = grant.fence
        """Larger than that of every holder before: hand it to stores that refuse smaller ones."""
        self.attempt = grant.attempt
        self.last_attempt = grant.last_attempt
        self._client = client
        self._keeper = keeper
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._saving: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"<RunningJob {self.id}, attempt {self.attempt}, fence {self.fence}>"

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def queue(self) -> str:
        return self.job.queue

    @property
    def kind(self) -> str:
        return self.job.kind

    @property
    def labels(self) -> Mapping[str, str]:
        return self.job.labels

    @property
    def payload(self) -> bytes:
        """The bytes given at creation; empty when there were none."""
        return self.job.payload.content if self.job.payload is not None else b""

    @property
    def content_type(self) -> str:
        return self.job.payload.content_type if self.job.payload is not None else ""

    def json(self) -> Any:
        """Return the value that the payload spells in JSON; ValueError when it does not."""
        return self.job.payload.json() if self.job.payload is not None else None

    @property
    def last_checkpoint(self) -> bytes | None:
        """What an earlier attempt saved, to go on from there."""
        return self.job.checkpoint.content if self.job.checkpoint is not None else None

    @property
    def cancelled(self) -> threading.Event:
        """Set when the job is to be cancelled; an async handler's task is cancelled as well."""
        return self.lease.cancelled

    @property
    def paused(self) -> threading.Event:
        """Set while the job is to be paused; nothing stops the handler but itself."""
        return self.lease.paused

    @property
    def lost(self) -> threading.Event:
        """Set when the lease is lost: whatever the handler does now counts for nothing."""
        return self.lease.lost

    @property
    def cancel_reason(self) -> str:
        return self.lease.directive_reason if self.cancelled.is_set() else ""

    def remaining(self) -> float:
        """Return for how many seconds the lease may be relied on without another renewal."""
        return self.lease.remaining()

    def check(self) -> None:
        """Raise LeaseLost, Cancelled or Paused when there is reason to stop; call it often."""
        self.lease.check()
        if self.cancelled.is_set():
            raise Cancelled(self.lease.directive_reason or f"job {self.id} was cancelled")
        if self.paused.is_set():
            raise Paused(f"job {self.id} is to be paused")

    def progress(
        self, label: str = "", done: int | None = None, total: int | None = None, *, message: str = ""
    ) -> None:
        """Say how far the work is, as often as you like: about once a second the last word is sent.

        A worker that dies loses at most the reports of that second.
        """
        self._keeper.report(self.lease, Progress(label, done, total, message))

    def checkpoint(self, content: Content, *, phase_index: int | None = None) -> Awaitable[None]:
        """Save what the next attempt should start from, at most 1 MiB.

        In a plain handler it returns when the checkpoint is saved; in an async one, await it.
        Raises LeaseLost, and UnexpectedState where the lifecycle takes no checkpoints.
        """
        return self._here_or_there(self._save, content, phase_index)

    async def _save(self, content: Content, phase_index: int | None) -> None:
        try:
            status = await self._client.save_checkpoint(self.lease, content, phase_index=phase_index)
        except LeaseLost as error:
            self._keeper.lose(self.lease, f"was refused by the server: {error}")
            raise
        self._keeper.observe(self.lease, status)

    def _here_or_there(
        self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: object
    ) -> Awaitable[None]:
        """Start the call in the loop; in another thread than the loop's wait for it as well."""
        if threading.get_ident() != self._loop_thread:
            asyncio.run_coroutine_threadsafe(function(*arguments), self._loop).result()
            return _Done()
        task = self._loop.create_task(function(*arguments))
        self._saving.add(task)  # the loop alone would not keep a task that nobody awaits
        task.add_done_callback(self._saving.discard)
        return task


class _Done(Awaitable[None]):
    """Nothing is left to wait for; unlike a coroutine it need not be awaited."""

    def __await__(self) -> Iterator[None]:  # type: ignore[override]  # a generator in name only
        return iter(())
