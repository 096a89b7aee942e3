# Generated from proto/tenure/v1/admin_service.proto by make generate; do not edit.
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Protocol, TypeVar, overload, type_check_only

import grpc
import grpc.aio
from tenure.v1 import admin_service_pb2

_Message_co = TypeVar("_Message_co", covariant=True)

@type_check_only
class _Context(grpc.ServicerContext, grpc.aio.ServicerContext[Any, Any]):  # type: ignore[misc]
    """What a method of either kind of server may declare as its context."""

@type_check_only
class _Requests(AsyncIterator[_Message_co], Iterator[_Message_co], Protocol[_Message_co]):
    """What a method of either kind of server may declare as its stream of requests."""

class AdminServiceStub:
    @overload
    def __new__(cls, channel: grpc.Channel) -> AdminServiceStub: ...
    @overload
    def __new__(cls, channel: grpc.aio.Channel) -> AdminServiceAsyncStub: ...
    GetServerInfo: grpc.UnaryUnaryMultiCallable[admin_service_pb2.GetServerInfoRequest, admin_service_pb2.GetServerInfoResponse]

@type_check_only
class AdminServiceAsyncStub(AdminServiceStub):
    """What AdminServiceStub is over an asyncio channel; there is no such name at run time."""

    GetServerInfo: grpc.aio.UnaryUnaryMultiCallable[admin_service_pb2.GetServerInfoRequest, admin_service_pb2.GetServerInfoResponse]  # type: ignore[assignment]

class AdminServiceServicer:
    def GetServerInfo(self, request: admin_service_pb2.GetServerInfoRequest, context: _Context) -> admin_service_pb2.GetServerInfoResponse | Awaitable[admin_service_pb2.GetServerInfoResponse]: ...

def add_AdminServiceServicer_to_server(servicer: AdminServiceServicer, server: grpc.Server | grpc.aio.Server) -> None: ...
