"""From this package's values to the API's requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from tenure.model.document import document, document_to_proto
from tenure.model.enums import Phase, Visibility
from tenure.model.job import Failure, NewJob, Progress, RetryPolicy
from tenure.model.lease import Acquire, Release, Renewal, Transition
from tenure.model.times import duration, timestamp
from tenure.v1 import job_pb2, job_service_pb2, lease_service_pb2


class JobFilter(TypedDict, total=False):
    """What ListJobs filters by; what is left out matches everything, deleted jobs apart."""

    queue: str
    kind: str
    lifecycle: str
    states: Sequence[str]
    phases: Sequence[Phase]
    labels: Mapping[str, str]
    holder: str
    created_from: datetime
    created_before: datetime
    pinned: bool
    visibility: Visibility


def create_job(job: NewJob) -> job_service_pb2.CreateJobRequest:
    return job_service_pb2.CreateJobRequest(
        job=new_job(job), idempotency_key=job.idempotency_key, request_id=job.request_id
    )


def new_job(job: NewJob) -> job_pb2.NewJob:
    return job_pb2.NewJob(
        queue=job.queue,
        kind=job.kind,
        lifecycle=job.lifecycle,
        lifecycle_version=job.lifecycle_version,
        payload=document_to_proto(document(job.payload, job.content_type)),
        labels=job.labels,
        priority=job.priority,
        schedule_time=timestamp(job.schedule_time),
        expire_time=timestamp(job.expire_time),
        retry_policy=_retry_policy(job.retry),
    )


def list_jobs(
    wanted: JobFilter, *, full: bool, page_size: int, page_token: str
) -> job_service_pb2.ListJobsRequest:
    return job_service_pb2.ListJobsRequest(
        page_size=page_size,
        page_token=page_token,
        queue=wanted.get("queue", ""),
        kind=wanted.get("kind", ""),
        lifecycle=wanted.get("lifecycle", ""),
        states=wanted.get("states", ()),
        phases=[f"PHASE_{phase.value}" for phase in wanted.get("phases", ())],
        labels=wanted.get("labels"),
        holder=wanted.get("holder", ""),
        created_from=timestamp(wanted.get("created_from")),
        created_before=timestamp(wanted.get("created_before")),
        pinned=wanted.get("pinned"),
        visibility=f"VISIBILITY_{wanted.get('visibility', Visibility.ACTIVE).value}",
        view=job_view(full),
    )


def job_view(full: bool) -> job_pb2.JobView:
    return job_pb2.JOB_VIEW_FULL if full else job_pb2.JOB_VIEW_BASIC


def acquire(wanted: Acquire) -> lease_service_pb2.AcquireLeaseRequest:
    return lease_service_pb2.AcquireLeaseRequest(
        holder=wanted.holder,
        lease_duration=duration(wanted.lease_duration),
        job_id=wanted.job_id,
        queues=wanted.queues,
        kinds=wanted.kinds,
        states=wanted.states,
        labels=wanted.labels,
        max_leases=wanted.max_leases,
        wait=duration(wanted.wait or None),
        request_id=wanted.request_id,
    )


def renew(item: Renewal) -> lease_service_pb2.RenewRequest:
    return lease_service_pb2.RenewRequest(
        job_id=item.lease.job_id,
        token=item.lease.token,
        lease_duration=duration(item.lease_duration),
        progress=progress(item.progress),
        expected_version=item.expected_version,
    )


def transition(item: Transition) -> lease_service_pb2.TransitionRequest:
    return lease_service_pb2.TransitionRequest(
        job_id=item.lease.job_id,
        token=item.lease.token,
        to=item.to,
        result=document_to_proto(document(item.result)),
        error=_failure(item.error),
        progress=progress(item.progress),
        checkpoint=document_to_proto(document(item.checkpoint)),
        phase_index=item.phase_index,
        expected_version=item.expected_version,
    )


def release(item: Release) -> lease_service_pb2.ReleaseRequest:
    return lease_service_pb2.ReleaseRequest(
        job_id=item.lease.job_id,
        token=item.lease.token,
        delay=duration(item.delay),
        count_attempt=item.count_attempt,
    )


def progress(value: Progress | None) -> job_pb2.Progress | None:
    if value is None:
        return None
    return job_pb2.Progress(label=value.label, done=value.done, total=value.total, message=value.message)


def _failure(value: Failure | None) -> job_pb2.Failure | None:
    if value is None:
        return None
    return job_pb2.Failure(
        code=value.code, message=value.message, retryable=value.retryable, details=value.details
    )


def _retry_policy(value: RetryPolicy | None) -> job_pb2.RetryPolicy | None:
    if value is None:
        return None
    return job_pb2.RetryPolicy(
        max_attempts=value.max_attempts,
        initial_delay=duration(value.initial_delay),
        max_delay=duration(value.max_delay),
        multiplier=value.multiplier,
    )
