"""The worker that users set up and run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

import grpc

from tenure.async_client import AsyncClient
from tenure.lease_keeper import LeaseKeeper
from tenure.model.document import Content
from tenure.model.times import DurationLike, seconds
from tenure.worker.handlers import Handlers
from tenure.worker.running_job import RunningJob
from tenure.worker.settings import WorkerSettings, default_holder
from tenure.worker.shift import Shift

logger = logging.getLogger("tenure")

_WAIT = 20.0

Function = TypeVar("Function", bound=Callable[[RunningJob], Content | Awaitable[Content]])


class Worker:
    """Leases jobs of some queues and lets handlers do them, several at a time.

    Leases are renewed in a thread of their own. A handler's return value becomes the job's result, an
    exception its failure, to be tried again while attempts are left; Reject says that this is no use.
    """

    def __init__(
        self,
        target: str,
        *,
        queues: Sequence[str] = ("default",),
        concurrency: int = 8,
        prefetch: int | None = None,
        lease_duration: DurationLike = 30.0,
        holder: str | None = None,
        grace: DurationLike = 30.0,
        labels: Mapping[str, str] | None = None,
        token: str | None = None,
        root_certificates: bytes | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        success: str = "succeeded",
        failure: str = "failed",
        cancelled: str = "cancelled",
        paused: str = "paused",
    ) -> None:
        """Set the worker up; nothing is connected before it runs.

        `prefetch` bounds how many jobs are leased ahead while jobs are short, by default as many as
        `concurrency`; with 0 none is. `grace` is how long running jobs may take to end after a stop.
        `holder` defaults to host, process and a random part. The last four are the states of the
        jobs' lifecycle to which an outcome leads.
        """
        self._settings = WorkerSettings(
            queues=queues,
            concurrency=concurrency,
            prefetch=concurrency if prefetch is None else prefetch,
            lease_duration=seconds(lease_duration),
            holder=holder or default_holder(),
            grace=seconds(grace),
            wait=_WAIT,
            labels=dict(labels or {}),
            success=success,
            failure=failure,
            cancelled=cancelled,
            paused=paused,
        )
        self._target = target
        self._access: dict[str, Any] = {
            "token": token,
            "root_certificates": root_certificates,
            "credentials": credentials,
        }
        self._handlers = Handlers()
        self._shift: Shift | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._stop_now = asyncio.Event()

    @property
    def holder(self) -> str:
        return self._settings.holder

    @overload
    def handler(self, function: Function, /) -> Function: ...
    @overload
    def handler(self, /, *, kind: str | None = None) -> Callable[[Function], Function]: ...
    def handler(self, function: Any = None, /, *, kind: str | None = None) -> Any:
        """Register the decorated function for a kind of jobs, or for all kinds without another one.

        It is called with a RunningJob: an async function in the event loop, any other in a thread.
        """

        def register(registered: Function) -> Function:
            self._handlers.add(registered, kind)
            return registered

        return register if function is None else register(function)

    def run(self) -> None:
        """Work until SIGTERM or SIGINT, or until stop: then finish running jobs within the grace.

        Jobs not begun are handed back. A second signal ends the grace. Raises Denied and InvalidField
        when no job can ever be had; whatever may pass is sat out.
        """
        asyncio.run(self.run_async(signals=True))

    async def run_async(self, *, signals: bool = False) -> None:
        """Do what run does within a running event loop; it leaves signals alone unless asked."""
        if not self._handlers:
            raise ValueError("the worker has no handler")
        if self._shift is not None:
            raise RuntimeError("the worker is running")
        self._loop = asyncio.get_running_loop()
        with LeaseKeeper(self._target, **self._access) as keeper, self._caught(signals):
            async with AsyncClient(self._target, wait_for_ready=True, **self._access) as client:
                self._shift = Shift(client, keeper, self._settings, self._handlers)
                logger.info("worker %s began", self.holder)
                try:
                    await self._shift.run(self._stop, self._stop_now)
                finally:
                    self._shift = self._loop = None
                    self._stop, self._stop_now = asyncio.Event(), asyncio.Event()
                    logger.info("worker %s ended", self.holder)

    def stop(self, *, now: bool = False) -> None:
        """Take no more jobs and end when the running ones have, or `now`. Any thread may call it."""
        loop = self._loop
        if loop is None:
            self._set_stop(now)
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(self._set_stop, now)

    def last_success_age(self) -> float:
        """Return the seconds since a call that ought to succeed again and again last did.

        That is asking for jobs, while there is room for one, and renewing, while one is held. An idle
        healthy worker stays below about 25 s, a busy one below its lease.
        """
        return 0.0 if self._shift is None else self._shift.last_success_age()

    def _set_stop(self, now: bool) -> None:
        self._stop.set()
        if now:
            self._stop_now.set()

    def _signalled(self) -> None:
        self._set_stop(now=self._stop.is_set())

    @contextlib.contextmanager
    def _caught(self, signals: bool) -> Iterator[None]:
        if not signals:
            yield
            return
        loop = asyncio.get_running_loop()
        caught = [
            number for number in (signal.SIGTERM, signal.SIGINT) if _catch(loop, number, self._signalled)
        ]
        try:
            yield
        finally:
            for number in caught:
                loop.remove_signal_handler(number)


def _catch(loop: asyncio.AbstractEventLoop, number: signal.Signals, function: Callable[[], None]) -> bool:
    try:
        loop.add_signal_handler(number, function)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        return False
    return True
