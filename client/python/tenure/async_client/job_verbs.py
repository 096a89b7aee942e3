"""Steering jobs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from tenure.async_client.connection import AsyncConnection
from tenure.model.job import Job, job_from_proto, new_request_id
from tenure.model.times import DurationLike, duration, timestamp
from tenure.v1 import job_service_pb2


class AsyncJobVerbs(AsyncConnection):
    """Calls that change a job without holding it; each returns the job afterwards, without documents.

    All raise JobNotFound, and VersionMismatch unless the job is at `expected_version`.
    """

    async def cancel(
        self,
        job_id: str,
        reason: str = "",
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
    ) -> Job:
        """Cancel a job, at once or through its holder; the first reason is kept.

        Raises CannotCancel past the point of no return, JobTerminal when it ended otherwise.
        """
        request = job_service_pb2.CancelRequest(
            job_id=job_id,
            reason=reason,
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.Cancel, request)
        return job_from_proto(reply.job)

    async def pause(
        self, job_id: str, *, expected_version: int | None = None, request_id: str | None = None
    ) -> Job:
        """Set a job aside, at once or through its holder; raises IllegalTransition."""
        request = job_service_pb2.PauseRequest(
            job_id=job_id,
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.Pause, request)
        return job_from_proto(reply.job)

    async def resume(
        self, job_id: str, *, expected_version: int | None = None, request_id: str | None = None
    ) -> Job:
        """Put a paused job back to work; raises IllegalTransition, StillDraining."""
        request = job_service_pb2.ResumeRequest(
            job_id=job_id,
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.Resume, request)
        return job_from_proto(reply.job)

    async def retry(
        self,
        job_id: str,
        delay: DurationLike | None = None,
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
    ) -> Job:
        """Open an ended job again for one more attempt, after `delay` seconds; raises NotRetryable."""
        request = job_service_pb2.RetryRequest(
            job_id=job_id,
            delay=duration(delay),
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.Retry, request)
        return job_from_proto(reply.job)

    async def update_job(
        self,
        job_id: str,
        *,
        pinned: bool | None = None,
        priority: int | None = None,
        schedule_time: datetime | None = None,
        labels: Mapping[str, str] | None = None,
        expected_version: int | None = None,
        request_id: str | None = None,
    ) -> Job:
        """Change what is given and leave the rest; `labels` replaces all of them.

        Raises UnexpectedState: priority and schedule change only while the job waits.
        """
        request = job_service_pb2.UpdateJobRequest(
            job_id=job_id,
            pinned=pinned,
            priority=priority,
            schedule_time=timestamp(schedule_time),
            labels=None if labels is None else job_service_pb2.Labels(labels=labels),
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.UpdateJob, request)
        return job_from_proto(reply.job)

    async def delete_job(
        self, job_id: str, *, expected_version: int | None = None, request_id: str | None = None
    ) -> Job:
        """Hide an ended job from lists; raises UnexpectedState."""
        request = job_service_pb2.DeleteJobRequest(
            job_id=job_id,
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.DeleteJob, request)
        return job_from_proto(reply.job)

    async def undelete_job(
        self, job_id: str, *, expected_version: int | None = None, request_id: str | None = None
    ) -> Job:
        """Bring a deleted job back into lists; raises UnexpectedState."""
        request = job_service_pb2.UndeleteJobRequest(
            job_id=job_id,
            expected_version=expected_version,
            request_id=request_id or new_request_id(),
        )
        reply = await self._call(self._stubs.jobs.UndeleteJob, request)
        return job_from_proto(reply.job)
