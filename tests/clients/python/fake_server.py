"""A gRPC server that answers what a test tells it to, for what clients do on their own side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NoReturn

import grpc
import grpc.aio
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

# The stubs' modules put their services into the descriptor pool.
from tenure.v1 import admin_service_pb2, job_service_pb2, lease_service_pb2, queue_service_pb2

SERVICES = (admin_service_pb2, job_service_pb2, lease_service_pb2, queue_service_pb2)

Answer = Callable[[Any, Any], Awaitable[Any]]


class FakeServer(grpc.GenericRpcHandler):
    """Remembers every request and its metadata; a method without an answer is UNIMPLEMENTED."""

    def __init__(self) -> None:
        self.target = ""
        self.requests: dict[str, list[Any]] = {}
        self.metadata: list[dict[str, str]] = []
        self._answers: dict[str, Any] = {}

    def answers(self, method: str, answer: Any) -> None:
        """Answer a method by an async function of (request, context), or a generator for a stream."""
        self._answers[method] = answer

    def sent(self, method: str) -> list[Any]:
        return self.requests.get(method, [])

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        service, _, name = handler_call_details.method.lstrip("/").partition("/")
        answer = self._answers.get(name)
        if answer is None:
            return None
        pool: Any = descriptor_pool.Default()
        method = pool.FindServiceByName(service).methods_by_name[name]
        request_type = message_factory.GetMessageClass(method.input_type)
        coding: dict[str, Any] = {
            "request_deserializer": request_type.FromString,
            "response_serializer": lambda message: message.SerializeToString(),
        }
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(self._recording(name, answer, stream=True), **coding)
        return grpc.unary_unary_rpc_method_handler(self._recording(name, answer, stream=False), **coding)

    def _recording(self, name: str, answer: Any, *, stream: bool) -> Any:
        def record(request: Any, context: Any) -> None:
            self.requests.setdefault(name, []).append(request)
            self.metadata.append(dict(context.invocation_metadata()))

        async def unary(request: Any, context: Any) -> Any:
            record(request, context)
            return await answer(request, context)

        async def streaming(request: Any, context: Any) -> AsyncIterator[Any]:
            record(request, context)
            async for message in answer(request, context):
                yield message

        return streaming if stream else unary


@asynccontextmanager
async def running(directory: Path) -> AsyncIterator[FakeServer]:
    fake = FakeServer()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((fake,))
    fake.target = f"unix:{directory / 'fake.sock'}"
    server.add_insecure_port(fake.target)
    await server.start()
    try:
        yield fake
    finally:
        await server.stop(grace=None)


def refusal(
    code: grpc.StatusCode, reason: str = "", *, retry_after: float | None = None, **metadata: str
) -> Status:
    """Return a status as the server words it."""
    status = Status(code=code.value[0], message=f"refused: {reason}")
    if reason:
        status.details.append(_packed(ErrorInfo(domain="tenure", reason=reason, metadata=metadata)))
    if retry_after is not None:
        delay = Duration(seconds=int(retry_after), nanos=round(retry_after % 1 * 1e9))
        status.details.append(_packed(RetryInfo(retry_delay=delay)))
    return status


def _packed(message: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed


async def refuse(context: Any, status: Status) -> NoReturn:
    code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
    details = (("grpc-status-details-bin", status.SerializeToString()),)
    await context.abort(code, status.message, trailing_metadata=details)
    raise AssertionError("abort raises")


def refuses(status: Status) -> Answer:
    async def answer(_: Any, context: Any) -> Any:
        await refuse(context, status)

    return answer


def replies(message: Message) -> Answer:
    async def answer(_request: Any, _context: Any) -> Any:
        await asyncio.sleep(0)
        return message

    return answer
