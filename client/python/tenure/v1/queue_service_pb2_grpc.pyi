# Generated from proto/tenure/v1/queue_service.proto by make generate; do not edit.
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Protocol, TypeVar, overload, type_check_only

import grpc
import grpc.aio
from tenure.v1 import queue_service_pb2

_Message_co = TypeVar("_Message_co", covariant=True)

@type_check_only
class _Context(grpc.ServicerContext, grpc.aio.ServicerContext[Any, Any]):  # type: ignore[misc]
    """What a method of either kind of server may declare as its context."""

@type_check_only
class _Requests(AsyncIterator[_Message_co], Iterator[_Message_co], Protocol[_Message_co]):
    """What a method of either kind of server may declare as its stream of requests."""

class QueueServiceStub:
    @overload
    def __new__(cls, channel: grpc.Channel) -> QueueServiceStub: ...
    @overload
    def __new__(cls, channel: grpc.aio.Channel) -> QueueServiceAsyncStub: ...
    GetQueue: grpc.UnaryUnaryMultiCallable[queue_service_pb2.GetQueueRequest, queue_service_pb2.GetQueueResponse]
    ListQueues: grpc.UnaryUnaryMultiCallable[queue_service_pb2.ListQueuesRequest, queue_service_pb2.ListQueuesResponse]
    UpdateQueue: grpc.UnaryUnaryMultiCallable[queue_service_pb2.UpdateQueueRequest, queue_service_pb2.UpdateQueueResponse]

@type_check_only
class QueueServiceAsyncStub(QueueServiceStub):
    """What QueueServiceStub is over an asyncio channel; there is no such name at run time."""

    GetQueue: grpc.aio.UnaryUnaryMultiCallable[queue_service_pb2.GetQueueRequest, queue_service_pb2.GetQueueResponse]  # type: ignore[assignment]
    ListQueues: grpc.aio.UnaryUnaryMultiCallable[queue_service_pb2.ListQueuesRequest, queue_service_pb2.ListQueuesResponse]  # type: ignore[assignment]
    UpdateQueue: grpc.aio.UnaryUnaryMultiCallable[queue_service_pb2.UpdateQueueRequest, queue_service_pb2.UpdateQueueResponse]  # type: ignore[assignment]

class QueueServiceServicer:
    def GetQueue(self, request: queue_service_pb2.GetQueueRequest, context: _Context) -> queue_service_pb2.GetQueueResponse | Awaitable[queue_service_pb2.GetQueueResponse]: ...
    def ListQueues(self, request: queue_service_pb2.ListQueuesRequest, context: _Context) -> queue_service_pb2.ListQueuesResponse | Awaitable[queue_service_pb2.ListQueuesResponse]: ...
    def UpdateQueue(self, request: queue_service_pb2.UpdateQueueRequest, context: _Context) -> queue_service_pb2.UpdateQueueResponse | Awaitable[queue_service_pb2.UpdateQueueResponse]: ...

def add_QueueServiceServicer_to_server(servicer: QueueServiceServicer, server: grpc.Server | grpc.aio.Server) -> None: ...
