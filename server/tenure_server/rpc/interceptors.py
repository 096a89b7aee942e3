"""What every call of ours goes through: deadline, validation, the error table, a line in the debug log.

One interceptor for all of it: a call passes one wrapper made once per method, instead of a chain that
gRPC builds anew for every call.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from tenure_server.domain.errors import InvalidField, JobBusy
from tenure_server.rpc.callers import Context, OutOfTime, admit
from tenure_server.rpc.errors import BY_NUMBER, log_unforeseen, status_of
from tenure_server.rpc.limits import DEFAULT_DEADLINE, WAITING_DEADLINE
from tenure_server.rpc.validation import WHOLE_REQUEST, Validator

log = logging.getLogger(__name__)

OURS = "/tenure."
DETAILS_KEY = "grpc-status-details-bin"
# What gRPC's own retries heed: a client whose time is up would otherwise wait, and learn only that.
DO_NOT_RETRY = ("grpc-retry-pushback-ms", "-1")
WAITING = frozenset({"/tenure.v1.LeaseService/AcquireLease", "/tenure.v1.JobService/WaitJob"})

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]
else:
    Handler = grpc.RpcMethodHandler  # generic in its stubs only
Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]


class _Method(NamedTuple):
    """One method of ours; `longest` is how many seconds a call may take that brings no deadline."""

    name: str
    read: Callable[[bytes], Message]
    behaviour: Callable[[Message, Context], Any]
    longest: float


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Wraps the methods of our services; those of others (health, reflection) go through untouched."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator
        self._wrapped: dict[str, Handler] = {}
        self.last_call = -math.inf
        """The loop's time at which the last call came."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> "Handler | None":
        name = handler_call_details.method
        wrapped = self._wrapped.get(name)
        if wrapped is not None:
            return wrapped
        handler = await continuation(handler_call_details)
        if handler is None or not name.startswith(OURS):
            return handler
        wrapped = self._wrapped[name] = self._wrap(name, handler)
        return wrapped

    def _wrap(self, name: str, handler: Any) -> Handler:
        if handler.request_streaming:
            raise NotImplementedError(f"{name} takes a stream of requests, which nothing validates yet")
        if handler.response_streaming:
            method = _Method(name, handler.request_deserializer, handler.unary_stream, math.inf)
            return grpc.unary_stream_rpc_method_handler(self._answering_stream(method))
        longest = WAITING_DEADLINE if name in WAITING else DEFAULT_DEADLINE
        method = _Method(name, handler.request_deserializer, handler.unary_unary, longest)
        return grpc.unary_unary_rpc_method_handler(self._answering(method))

    def _answering(self, method: _Method) -> Callable[[bytes, Context], Awaitable[bytes]]:
        async def answer(raw: bytes, context: Context) -> bytes:
            started = self.last_call = asyncio.get_running_loop().time()
            try:
                caller = admit(context, method.longest)
                request = self._read(method, raw)
                if context.time_remaining() is None:
                    reply = await _bounded(method.behaviour(request, context), caller.deadline)
                else:
                    reply = await method.behaviour(request, context)
            except (Exception, asyncio.CancelledError) as error:
                await _refuse(method, context, error, started)
            _log(method, "OK", started)
            return reply.SerializeToString()

        return answer

    def _answering_stream(self, method: _Method) -> Callable[[bytes, Context], Awaitable[None]]:
        async def answer(raw: bytes, context: Context) -> None:
            started = asyncio.get_running_loop().time()
            try:
                admit(context, method.longest)
                request = self._read(method, raw)
                async with aclosing(method.behaviour(request, context)) as replies:
                    async for reply in replies:
                        await context.write(reply.SerializeToString())
            except (Exception, asyncio.CancelledError) as error:
                await _refuse(method, context, error, started)
            _log(method, "OK", started)

        return answer

    def _read(self, method: _Method, raw: bytes) -> Message:
        try:
            request = method.read(raw)
        except DecodeError:
            raise InvalidField(WHOLE_REQUEST, "is not a message of the type this call takes") from None
        self._validator.require_valid(request)
        return request


async def _bounded(work: Awaitable[Message], deadline: float) -> Message:
    """What gRPC does where the client set a deadline."""
    limit = asyncio.timeout_at(deadline)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise


async def _refuse(method: _Method, context: Context, error: BaseException, started: float) -> Never:
    """End the call with the error's status; a cancelled call just ends."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is None or task.cancelling():
            _log(method, "CANCELLED", started)
            raise error
        # Something awaited was cancelled, not this call: gRPC would leave the client without an answer.
        error = RuntimeError("what this call waited for was cancelled")
    assert isinstance(error, Exception)
    log_unforeseen(error, method.name)
    status = status_of(error)
    _log(method, BY_NUMBER[status.code].name, started)
    details: tuple[tuple[str, str | bytes], ...] = ((DETAILS_KEY, status.SerializeToString()),)
    left: float | None = context.time_remaining()
    if isinstance(error, JobBusy) and left is not None and left < 2 * error.retry_after.total_seconds():
        details = (*details, DO_NOT_RETRY)
    await context.abort(BY_NUMBER[status.code], status.message, details)


def _log(method: _Method, code: str, started: float) -> None:
    if log.isEnabledFor(logging.DEBUG):
        took = asyncio.get_running_loop().time() - started
        log.debug("%s %s in %.1f ms", method.name, code, took * 1000)
