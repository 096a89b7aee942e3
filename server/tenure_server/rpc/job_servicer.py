"""JobService: convert, ask the service, convert."""

from collections.abc import AsyncIterator
from uuid import UUID

from tenure.v1 import job_pb2
from tenure.v1 import job_service_pb2 as pb
from tenure.v1.job_service_pb2_grpc import JobServiceServicer
from tenure_server.domain.job import JobRecord
from tenure_server.rpc.batches import Batch, only
from tenure_server.rpc.callers import Context, current, wait_within
from tenure_server.rpc.convert_job import (
    create_result_to_proto,
    creation_from_proto,
    event_to_proto,
    filter_from_proto,
    job_id_from_proto,
    job_to_proto,
    write_job,
)
from tenure_server.rpc.convert_steering import (
    SteerCommand,
    SteerRequest,
    cancel_from_proto,
    delete_from_proto,
    pause_from_proto,
    resume_from_proto,
    retry_from_proto,
    update_from_proto,
)
from tenure_server.rpc.convert_values import duration_from_proto
from tenure_server.rpc.page_tokens import Tokens, page_length
from tenure_server.rpc.replies import fill
from tenure_server.rpc.validation import Validator
from tenure_server.service.jobs import Jobs
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.watching import Watching

JOBS_PAGE, JOBS_LONGEST = 50, 500
EVENTS_PAGE, EVENTS_LONGEST = 100, 1000


class JobServicer(JobServiceServicer):
    """For those who have work done."""

    def __init__(self, jobs: Jobs, watching: Watching, catalogue: Catalogue, validator: Validator) -> None:
        self._jobs = jobs
        self._watching = watching
        self._catalogue = catalogue
        self._validator = validator

    async def CreateJob(self, request: pb.CreateJobRequest, context: Context) -> pb.CreateJobResponse:
        outcomes = await self._jobs.create(current(), [creation_from_proto(request)], wants_job=True)
        made = only(outcomes)
        return pb.CreateJobResponse(job=self._shown(made.record), created=made.created)

    async def BatchCreateJobs(
        self, request: pb.BatchCreateJobsRequest, context: Context
    ) -> pb.BatchCreateJobsResponse:
        batch = Batch(request.items, self._validator, creation_from_proto)
        outcomes = await self._jobs.create(current(), batch.wanted) if batch.wanted else []
        results = batch.answer(outcomes, create_result_to_proto, lambda e: pb.CreateJobResult(error=e))
        return pb.BatchCreateJobsResponse(results=results)

    async def GetJob(self, request: pb.GetJobRequest, context: Context) -> pb.GetJobResponse:
        full = request.view != job_pb2.JOB_VIEW_BASIC
        record = await self._jobs.get(current(), UUID(request.job_id), full=full)
        return pb.GetJobResponse(job=job_to_proto(record, self._catalogue, full=full))

    async def ListJobs(self, request: pb.ListJobsRequest, context: Context) -> pb.ListJobsResponse:
        caller, full = current(), request.view == job_pb2.JOB_VIEW_FULL
        tokens = Tokens(caller.scope, request)
        wanted, before = filter_from_proto(request), tokens.job(request.page_token)
        limit = page_length(request.page_size, JOBS_PAGE, JOBS_LONGEST)
        page = await self._jobs.list(caller, wanted, before=before, limit=limit, full=full)
        response = pb.ListJobsResponse()
        shown = fill(response.jobs, page.records, lambda m, r: write_job(m, r, self._catalogue, full=full))
        if shown and (page.more or shown < len(page.records)):
            response.next_page_token = tokens.after_job(page.records[shown - 1].job.id)
        return response

    async def WaitJob(self, request: pb.WaitJobRequest, context: Context) -> pb.WaitJobResponse:
        asked = duration_from_proto("wait", request.wait) if request.HasField("wait") else None
        wait = wait_within(current(), asked)
        waited = await self._jobs.wait(current(), UUID(request.job_id), tuple(request.states), wait)
        job = job_to_proto(waited.record, self._catalogue, full=True)
        return pb.WaitJobResponse(job=job, satisfied=waited.satisfied)

    async def WatchJobs(
        self, request: pb.WatchJobsRequest, context: Context
    ) -> AsyncIterator[pb.WatchJobsResponse]:
        tokens = Tokens(current().scope, request, field="cursor")
        after, job_id = tokens.position(request.cursor), job_id_from_proto(request.job_id)
        async for seen in self._watching.watch(current(), after, job_id, request.queue or None):
            event = event_to_proto(seen.event) if seen.event is not None else None
            yield pb.WatchJobsResponse(event=event, cursor=tokens.after_position(seen.position))

    async def ListJobEvents(
        self, request: pb.ListJobEventsRequest, context: Context
    ) -> pb.ListJobEventsResponse:
        caller, tokens = current(), Tokens(current().scope, request)
        limit = page_length(request.page_size, EVENTS_PAGE, EVENTS_LONGEST)
        after = tokens.event(request.page_token)
        page = await self._jobs.events(caller, UUID(request.job_id), after, limit)
        token = tokens.after_event(page.events[-1].version, page.events[-1].step) if page.more else ""
        return pb.ListJobEventsResponse(
            events=[event_to_proto(event) for event in page.events], next_page_token=token
        )

    async def Cancel(self, request: pb.CancelRequest, context: Context) -> pb.CancelResponse:
        job, replayed = await self._steer(request, cancel_from_proto(request))
        return pb.CancelResponse(job=job, replayed=replayed)

    async def Pause(self, request: pb.PauseRequest, context: Context) -> pb.PauseResponse:
        job, replayed = await self._steer(request, pause_from_proto(request))
        return pb.PauseResponse(job=job, replayed=replayed)

    async def Resume(self, request: pb.ResumeRequest, context: Context) -> pb.ResumeResponse:
        job, replayed = await self._steer(request, resume_from_proto(request))
        return pb.ResumeResponse(job=job, replayed=replayed)

    async def Retry(self, request: pb.RetryRequest, context: Context) -> pb.RetryResponse:
        job, replayed = await self._steer(request, retry_from_proto(request))
        return pb.RetryResponse(job=job, replayed=replayed)

    async def UpdateJob(self, request: pb.UpdateJobRequest, context: Context) -> pb.UpdateJobResponse:
        job, replayed = await self._steer(request, update_from_proto(request))
        return pb.UpdateJobResponse(job=job, replayed=replayed)

    async def DeleteJob(self, request: pb.DeleteJobRequest, context: Context) -> pb.DeleteJobResponse:
        job, replayed = await self._steer(request, delete_from_proto(request, deleted=True))
        return pb.DeleteJobResponse(job=job, replayed=replayed)

    async def UndeleteJob(self, request: pb.UndeleteJobRequest, context: Context) -> pb.UndeleteJobResponse:
        job, replayed = await self._steer(request, delete_from_proto(request, deleted=False))
        return pb.UndeleteJobResponse(job=job, replayed=replayed)

    async def _steer(self, request: SteerRequest, command: SteerCommand) -> tuple[job_pb2.Job | None, bool]:
        outcome = await self._jobs.steer(current(), UUID(request.job_id), command, request.request_id)
        return self._shown(outcome.record), outcome.replayed

    def _shown(self, record: JobRecord | None) -> job_pb2.Job | None:
        return job_to_proto(record, self._catalogue) if record is not None else None
