# Generated from proto/tenure/v1/job_service.proto by make generate; do not edit.
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Protocol, TypeVar, overload, type_check_only

import grpc
import grpc.aio
from tenure.v1 import job_service_pb2

_Message_co = TypeVar("_Message_co", covariant=True)

@type_check_only
class _Context(grpc.ServicerContext, grpc.aio.ServicerContext[Any, Any]):  # type: ignore[misc]
    """What a method of either kind of server may declare as its context."""

@type_check_only
class _Requests(AsyncIterator[_Message_co], Iterator[_Message_co], Protocol[_Message_co]):
    """What a method of either kind of server may declare as its stream of requests."""

class JobServiceStub:
    @overload
    def __new__(cls, channel: grpc.Channel) -> JobServiceStub: ...
    @overload
    def __new__(cls, channel: grpc.aio.Channel) -> JobServiceAsyncStub: ...
    CreateJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.CreateJobRequest, job_service_pb2.CreateJobResponse]
    BatchCreateJobs: grpc.UnaryUnaryMultiCallable[job_service_pb2.BatchCreateJobsRequest, job_service_pb2.BatchCreateJobsResponse]
    GetJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.GetJobRequest, job_service_pb2.GetJobResponse]
    ListJobs: grpc.UnaryUnaryMultiCallable[job_service_pb2.ListJobsRequest, job_service_pb2.ListJobsResponse]
    WaitJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.WaitJobRequest, job_service_pb2.WaitJobResponse]
    WatchJobs: grpc.UnaryStreamMultiCallable[job_service_pb2.WatchJobsRequest, job_service_pb2.WatchJobsResponse]
    ListJobEvents: grpc.UnaryUnaryMultiCallable[job_service_pb2.ListJobEventsRequest, job_service_pb2.ListJobEventsResponse]
    Cancel: grpc.UnaryUnaryMultiCallable[job_service_pb2.CancelRequest, job_service_pb2.CancelResponse]
    Pause: grpc.UnaryUnaryMultiCallable[job_service_pb2.PauseRequest, job_service_pb2.PauseResponse]
    Resume: grpc.UnaryUnaryMultiCallable[job_service_pb2.ResumeRequest, job_service_pb2.ResumeResponse]
    Retry: grpc.UnaryUnaryMultiCallable[job_service_pb2.RetryRequest, job_service_pb2.RetryResponse]
    UpdateJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.UpdateJobRequest, job_service_pb2.UpdateJobResponse]
    DeleteJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.DeleteJobRequest, job_service_pb2.DeleteJobResponse]
    UndeleteJob: grpc.UnaryUnaryMultiCallable[job_service_pb2.UndeleteJobRequest, job_service_pb2.UndeleteJobResponse]

@type_check_only
class JobServiceAsyncStub(JobServiceStub):
    """What JobServiceStub is over an asyncio channel; there is no such name at run time."""

    CreateJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.CreateJobRequest, job_service_pb2.CreateJobResponse]  # type: ignore[assignment]
    BatchCreateJobs: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.BatchCreateJobsRequest, job_service_pb2.BatchCreateJobsResponse]  # type: ignore[assignment]
    GetJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.GetJobRequest, job_service_pb2.GetJobResponse]  # type: ignore[assignment]
    ListJobs: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.ListJobsRequest, job_service_pb2.ListJobsResponse]  # type: ignore[assignment]
    WaitJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.WaitJobRequest, job_service_pb2.WaitJobResponse]  # type: ignore[assignment]
    WatchJobs: grpc.aio.UnaryStreamMultiCallable[job_service_pb2.WatchJobsRequest, job_service_pb2.WatchJobsResponse]  # type: ignore[assignment]
    ListJobEvents: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.ListJobEventsRequest, job_service_pb2.ListJobEventsResponse]  # type: ignore[assignment]
    Cancel: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.CancelRequest, job_service_pb2.CancelResponse]  # type: ignore[assignment]
    Pause: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.PauseRequest, job_service_pb2.PauseResponse]  # type: ignore[assignment]
    Resume: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.ResumeRequest, job_service_pb2.ResumeResponse]  # type: ignore[assignment]
    Retry: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.RetryRequest, job_service_pb2.RetryResponse]  # type: ignore[assignment]
    UpdateJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.UpdateJobRequest, job_service_pb2.UpdateJobResponse]  # type: ignore[assignment]
    DeleteJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.DeleteJobRequest, job_service_pb2.DeleteJobResponse]  # type: ignore[assignment]
    UndeleteJob: grpc.aio.UnaryUnaryMultiCallable[job_service_pb2.UndeleteJobRequest, job_service_pb2.UndeleteJobResponse]  # type: ignore[assignment]

class JobServiceServicer:
    def CreateJob(self, request: job_service_pb2.CreateJobRequest, context: _Context) -> job_service_pb2.CreateJobResponse | Awaitable[job_service_pb2.CreateJobResponse]: ...
    def BatchCreateJobs(self, request: job_service_pb2.BatchCreateJobsRequest, context: _Context) -> job_service_pb2.BatchCreateJobsResponse | Awaitable[job_service_pb2.BatchCreateJobsResponse]: ...
    def GetJob(self, request: job_service_pb2.GetJobRequest, context: _Context) -> job_service_pb2.GetJobResponse | Awaitable[job_service_pb2.GetJobResponse]: ...
    def ListJobs(self, request: job_service_pb2.ListJobsRequest, context: _Context) -> job_service_pb2.ListJobsResponse | Awaitable[job_service_pb2.ListJobsResponse]: ...
    def WaitJob(self, request: job_service_pb2.WaitJobRequest, context: _Context) -> job_service_pb2.WaitJobResponse | Awaitable[job_service_pb2.WaitJobResponse]: ...
    def WatchJobs(self, request: job_service_pb2.WatchJobsRequest, context: _Context) -> Iterator[job_service_pb2.WatchJobsResponse] | AsyncIterator[job_service_pb2.WatchJobsResponse]: ...
    def ListJobEvents(self, request: job_service_pb2.ListJobEventsRequest, context: _Context) -> job_service_pb2.ListJobEventsResponse | Awaitable[job_service_pb2.ListJobEventsResponse]: ...
    def Cancel(self, request: job_service_pb2.CancelRequest, context: _Context) -> job_service_pb2.CancelResponse | Awaitable[job_service_pb2.CancelResponse]: ...
    def Pause(self, request: job_service_pb2.PauseRequest, context: _Context) -> job_service_pb2.PauseResponse | Awaitable[job_service_pb2.PauseResponse]: ...
    def Resume(self, request: job_service_pb2.ResumeRequest, context: _Context) -> job_service_pb2.ResumeResponse | Awaitable[job_service_pb2.ResumeResponse]: ...
    def Retry(self, request: job_service_pb2.RetryRequest, context: _Context) -> job_service_pb2.RetryResponse | Awaitable[job_service_pb2.RetryResponse]: ...
    def UpdateJob(self, request: job_service_pb2.UpdateJobRequest, context: _Context) -> job_service_pb2.UpdateJobResponse | Awaitable[job_service_pb2.UpdateJobResponse]: ...
    def DeleteJob(self, request: job_service_pb2.DeleteJobRequest, context: _Context) -> job_service_pb2.DeleteJobResponse | Awaitable[job_service_pb2.DeleteJobResponse]: ...
    def UndeleteJob(self, request: job_service_pb2.UndeleteJobRequest, context: _Context) -> job_service_pb2.UndeleteJobResponse | Awaitable[job_service_pb2.UndeleteJobResponse]: ...

def add_JobServiceServicer_to_server(servicer: JobServiceServicer, server: grpc.Server | grpc.aio.Server) -> None: ...
