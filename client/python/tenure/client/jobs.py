# Generated from client/python/tenure/async_client/jobs.py by make generate; do not edit.
"""Creating and reading jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Unpack

from tenure import requests
from tenure.batches import batches
from tenure.client.connection import Connection
from tenure.errors import TenureError
from tenure.model.document import Content
from tenure.model.job import (
    Created,
    CreateResult,
    Job,
    JobEvent,
    NewJob,
    Page,
    RetryPolicy,
    event_from_proto,
    job_from_proto,
    new_request_id,
)
from tenure.status import error_from_status
from tenure.v1 import job_service_pb2


class JobCalls(Connection):
    """Calls of those who have work done."""

    def create_job(
        self,
        queue: str = "default",
        *,
        kind: str = "",
        payload: Content = b"",
        content_type: str | None = None,
        lifecycle: str = "standard",
        lifecycle_version: int = 0,
        labels: Mapping[str, str] | None = None,
        priority: int = 0,
        schedule_time: datetime | None = None,
        expire_time: datetime | None = None,
        retry: RetryPolicy | None = None,
        idempotency_key: str = "",
        request_id: str | None = None,
    ) -> Created:
        """Create a job, once for an idempotency key however often it is asked for.

        Bytes go as they are, text as UTF-8, any other payload as JSON; at most 1 MiB. Raises
        InvalidField, LifecycleNotFound, IdempotencyKeyReused, RequestIdReused.
        """
        job = NewJob(
            queue=queue,
            kind=kind,
            payload=payload,
            content_type=content_type,
            lifecycle=lifecycle,
            lifecycle_version=lifecycle_version,
            labels=labels or {},
            priority=priority,
            schedule_time=schedule_time,
            expire_time=expire_time,
            retry=retry,
            idempotency_key=idempotency_key,
            request_id=request_id or new_request_id(),
        )
        reply = self._call(self._stubs.jobs.CreateJob, requests.create_job(job))
        return Created(job_from_proto(reply.job), reply.created)

    def create_jobs(self, jobs: Iterable[NewJob]) -> list[CreateResult | TenureError]:
        """Create any number of jobs, each on its own terms; results come in the order of the jobs.

        They go in several calls. When one of those fails as a whole, its error is raised and some
        jobs may exist: send the same NewJob values again, none is created twice.
        """
        results: list[CreateResult | TenureError] = []
        for batch in batches(requests.create_job(job) for job in jobs):
            request = job_service_pb2.BatchCreateJobsRequest(items=batch)
            reply = self._call(self._stubs.jobs.BatchCreateJobs, request)
            results.extend(_create_result(result) for result in reply.results)
        return results

    def get_job(self, job_id: str, *, full: bool = True) -> Job:
        """Read one job, with its documents if `full`; raises JobNotFound."""
        request = job_service_pb2.GetJobRequest(job_id=job_id, view=requests.job_view(full))
        reply = self._call(self._stubs.jobs.GetJob, request)
        return job_from_proto(reply.job)

    def list_jobs(
        self, *, full: bool = False, page_size: int = 100, **wanted: Unpack[requests.JobFilter]
    ) -> Iterator[Job]:
        """Iterate over jobs, newest first, asking for a page at a time."""
        page_token = ""
        while True:
            page = self.list_jobs_page(full=full, page_size=page_size, page_token=page_token, **wanted)
            yield from page.jobs
            page_token = page.next_page_token
            if not page_token:
                return

    def list_jobs_page(
        self,
        *,
        full: bool = False,
        page_size: int = 50,
        page_token: str = "",
        **wanted: Unpack[requests.JobFilter],
    ) -> Page:
        """List one page of jobs, newest first; a page token goes with the filters it came from."""
        request = requests.list_jobs(wanted, full=full, page_size=page_size, page_token=page_token)
        reply = self._call(self._stubs.jobs.ListJobs, request)
        return Page(tuple(job_from_proto(job) for job in reply.jobs), reply.next_page_token)

    def list_job_events(self, job_id: str) -> Iterator[JobEvent]:
        """Iterate over what happened to a job, oldest first; raises JobNotFound."""
        page_token = ""
        while True:
            request = job_service_pb2.ListJobEventsRequest(job_id=job_id, page_token=page_token)
            reply = self._call(self._stubs.jobs.ListJobEvents, request)
            for event in reply.events:
                yield event_from_proto(event)
            page_token = reply.next_page_token
            if not page_token:
                return


def _create_result(result: job_service_pb2.CreateJobResult) -> CreateResult | TenureError:
    if result.HasField("error"):
        return error_from_status(result.error)
    return CreateResult(result.job_id, result.created, result.state, result.version)
