# Generated from proto/tenure/v1/lease_service.proto by make generate; do not edit.
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Protocol, TypeVar, overload, type_check_only

import grpc
import grpc.aio
from tenure.v1 import lease_service_pb2

_Message_co = TypeVar("_Message_co", covariant=True)

@type_check_only
class _Context(grpc.ServicerContext, grpc.aio.ServicerContext[Any, Any]):  # type: ignore[misc]
    """What a method of either kind of server may declare as its context."""

@type_check_only
class _Requests(AsyncIterator[_Message_co], Iterator[_Message_co], Protocol[_Message_co]):
    """What a method of either kind of server may declare as its stream of requests."""

class LeaseServiceStub:
    @overload
    def __new__(cls, channel: grpc.Channel) -> LeaseServiceStub: ...
    @overload
    def __new__(cls, channel: grpc.aio.Channel) -> LeaseServiceAsyncStub: ...
    AcquireLease: grpc.UnaryUnaryMultiCallable[lease_service_pb2.AcquireLeaseRequest, lease_service_pb2.AcquireLeaseResponse]
    Renew: grpc.UnaryUnaryMultiCallable[lease_service_pb2.RenewRequest, lease_service_pb2.RenewResponse]
    BatchRenew: grpc.UnaryUnaryMultiCallable[lease_service_pb2.BatchRenewRequest, lease_service_pb2.BatchRenewResponse]
    Transition: grpc.UnaryUnaryMultiCallable[lease_service_pb2.TransitionRequest, lease_service_pb2.TransitionResponse]
    BatchTransition: grpc.UnaryUnaryMultiCallable[lease_service_pb2.BatchTransitionRequest, lease_service_pb2.BatchTransitionResponse]
    Release: grpc.UnaryUnaryMultiCallable[lease_service_pb2.ReleaseRequest, lease_service_pb2.ReleaseResponse]
    BatchRelease: grpc.UnaryUnaryMultiCallable[lease_service_pb2.BatchReleaseRequest, lease_service_pb2.BatchReleaseResponse]
    ReportProgress: grpc.UnaryUnaryMultiCallable[lease_service_pb2.ReportProgressRequest, lease_service_pb2.ReportProgressResponse]
    SaveCheckpoint: grpc.UnaryUnaryMultiCallable[lease_service_pb2.SaveCheckpointRequest, lease_service_pb2.SaveCheckpointResponse]

@type_check_only
class LeaseServiceAsyncStub(LeaseServiceStub):
    """What LeaseServiceStub is over an asyncio channel; there is no such name at run time."""

    AcquireLease: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.AcquireLeaseRequest, lease_service_pb2.AcquireLeaseResponse]  # type: ignore[assignment]
    Renew: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.RenewRequest, lease_service_pb2.RenewResponse]  # type: ignore[assignment]
    BatchRenew: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.BatchRenewRequest, lease_service_pb2.BatchRenewResponse]  # type: ignore[assignment]
    Transition: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.TransitionRequest, lease_service_pb2.TransitionResponse]  # type: ignore[assignment]
    BatchTransition: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.BatchTransitionRequest, lease_service_pb2.BatchTransitionResponse]  # type: ignore[assignment]
    Release: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.ReleaseRequest, lease_service_pb2.ReleaseResponse]  # type: ignore[assignment]
    BatchRelease: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.BatchReleaseRequest, lease_service_pb2.BatchReleaseResponse]  # type: ignore[assignment]
    ReportProgress: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.ReportProgressRequest, lease_service_pb2.ReportProgressResponse]  # type: ignore[assignment]
    SaveCheckpoint: grpc.aio.UnaryUnaryMultiCallable[lease_service_pb2.SaveCheckpointRequest, lease_service_pb2.SaveCheckpointResponse]  # type: ignore[assignment]

class LeaseServiceServicer:
    def AcquireLease(self, request: lease_service_pb2.AcquireLeaseRequest, context: _Context) -> lease_service_pb2.AcquireLeaseResponse | Awaitable[lease_service_pb2.AcquireLeaseResponse]: ...
    def Renew(self, request: lease_service_pb2.RenewRequest, context: _Context) -> lease_service_pb2.RenewResponse | Awaitable[lease_service_pb2.RenewResponse]: ...
    def BatchRenew(self, request: lease_service_pb2.BatchRenewRequest, context: _Context) -> lease_service_pb2.BatchRenewResponse | Awaitable[lease_service_pb2.BatchRenewResponse]: ...
    def Transition(self, request: lease_service_pb2.TransitionRequest, context: _Context) -> lease_service_pb2.TransitionResponse | Awaitable[lease_service_pb2.TransitionResponse]: ...
    def BatchTransition(self, request: lease_service_pb2.BatchTransitionRequest, context: _Context) -> lease_service_pb2.BatchTransitionResponse | Awaitable[lease_service_pb2.BatchTransitionResponse]: ...
    def Release(self, request: lease_service_pb2.ReleaseRequest, context: _Context) -> lease_service_pb2.ReleaseResponse | Awaitable[lease_service_pb2.ReleaseResponse]: ...
    def BatchRelease(self, request: lease_service_pb2.BatchReleaseRequest, context: _Context) -> lease_service_pb2.BatchReleaseResponse | Awaitable[lease_service_pb2.BatchReleaseResponse]: ...
    def ReportProgress(self, request: lease_service_pb2.ReportProgressRequest, context: _Context) -> lease_service_pb2.ReportProgressResponse | Awaitable[lease_service_pb2.ReportProgressResponse]: ...
    def SaveCheckpoint(self, request: lease_service_pb2.SaveCheckpointRequest, context: _Context) -> lease_service_pb2.SaveCheckpointResponse | Awaitable[lease_service_pb2.SaveCheckpointResponse]: ...

def add_LeaseServiceServicer_to_server(servicer: LeaseServiceServicer, server: grpc.Server | grpc.aio.Server) -> None: ...
