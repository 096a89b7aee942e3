"""The functions that do the work, by the kind of job, and how each is called."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

from tenure.model.document import Content
from tenure.worker.running_job import RunningJob

Handler = Callable[[RunningJob], Content | Awaitable[Content]]
PlainHandler = Callable[[RunningJob], Content]
AsyncHandler = Callable[[RunningJob], Awaitable[Content]]


class Handlers:
    """At most one function per kind, and at most one for all other kinds."""

    def __init__(self) -> None:
        self._by_kind: dict[str, Handler] = {}
        self._other: Handler | None = None

    def add(self, function: Handler, kind: str | None) -> None:
        """Register a function; ValueError when the kind has one."""
        if kind is None and self._other is None:
            self._other = function
        elif kind is not None and kind not in self._by_kind:
            self._by_kind[kind] = function
        else:
            raise ValueError(
                f"there are two handlers for {'all kinds' if kind is None else f'kind {kind!r}'}"
            )

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds to ask for; none means all."""
        return () if self._other is not None else tuple(self._by_kind)

    def __bool__(self) -> bool:
        return self._other is not None or bool(self._by_kind)

    def begin(self, job: RunningJob) -> asyncio.Future[Content]:
        """Start the job's handler: an async one in a task, a plain one in a thread of its own."""
        handler = self._by_kind.get(job.kind, self._other)
        if handler is None:
            raise LookupError(f"there is no handler for kind {job.kind!r}")
        if inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
            getattr(handler, "__call__", None)  # noqa: B004  # an object whose call is async
        ):
            return asyncio.ensure_future(cast(AsyncHandler, handler)(job))
        return _in_thread(cast(PlainHandler, handler), job)


def is_stoppable(work: asyncio.Future[Content]) -> bool:
    """Say whether cancelling reaches the handler: a thread goes on whatever one does."""
    return isinstance(work, asyncio.Task)


def _in_thread(handler: PlainHandler, job: RunningJob) -> asyncio.Future[Content]:
    # A thread per job, and a daemon: one that never returns must not keep the process from ending.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Content] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            settle, value = future.set_result, context.run(handler, job)
        except Exception as error:
            _tell(loop, future, future.set_exception, _storable(error))
        except BaseException as error:
            _tell(loop, future, future.set_exception, RuntimeError(f"the handler raised {error!r}"))
        else:
            _tell(loop, future, settle, value)

    threading.Thread(target=work, name=f"tenure-job-{job.id}", daemon=True).start()
    return future


def _storable(error: Exception) -> Exception:
    """Return what a future can carry, which StopIteration is not."""
    return RuntimeError(f"the handler raised {error!r}") if isinstance(error, StopIteration) else error


def _tell(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[Content],
    settle: Callable[..., None],
    value: object,
) -> None:
    def settle_once() -> None:
        if not future.done():
            settle(value)

    if not loop.is_closed():
        loop.call_soon_threadsafe(settle_once)
