# Generated from client/python/tenure/async_client/job_waits.py by make generate; do not edit.
"""Waiting for jobs and watching them, over as many calls and connections as it takes."""

from __future__ import annotations

import random
import time
from collections.abc import Generator, Sequence

import grpc

from tenure import clock
from tenure.client.connection import Connection
from tenure.errors import TenureError
from tenure.model.job import Job, Watched, event_from_proto, job_from_proto
from tenure.model.times import duration
from tenure.outage import Outage
from tenure.status import error_from_call
from tenure.v1 import job_service_pb2
from tenure.waits import LONGEST_WAIT, call_timeout

# A stream that a proxy lets die in silence is noticed no later than this.
_WATCH_SECONDS = 300
_LONGEST_BREATH = 0.2


class JobWaits(Connection):
    """Calls that last. They sit out a server's absence of up to the client's `timeout`."""

    def wait_job(self, job_id: str, timeout: float | None = None, *, states: Sequence[str] = ()) -> Job:
        """Wait until a job has ended, or is in one of `states`; without timeout for ever.

        Raises TimeoutError after `timeout` seconds, JobNotFound.
        """
        end = None if timeout is None else clock.now() + timeout
        outage = Outage(self._timeout)
        while True:
            left = LONGEST_WAIT if end is None else min(LONGEST_WAIT, max(0.0, end - clock.now()))
            try:
                reply = self._wait_once(job_id, left, states)
            except TenureError as error:
                pause = outage.pause(error)
                if end is not None and clock.now() + pause >= end:
                    raise TimeoutError(f"job {job_id} could not be watched in time") from error
                time.sleep(pause)
                continue
            if reply.satisfied:
                return job_from_proto(reply.job)
            if end is not None and clock.now() >= end:
                raise TimeoutError(f"job {job_id} is still {reply.job.state} after {timeout} s")
            outage.over()

    def _wait_once(self, job_id: str, wait: float, states: Sequence[str]) -> job_service_pb2.WaitJobResponse:
        request = job_service_pb2.WaitJobRequest(job_id=job_id, wait=duration(wait), states=states)
        return self._call(self._stubs.jobs.WaitJob, request, call_timeout(wait, self._timeout))

    def watch_jobs(
        self, cursor: str | None = None, *, job_id: str | None = None, queue: str | None = None
    ) -> Generator[Watched, None]:
        """Iterate over what happens to jobs, without gaps, for ever; from a cursor or from now.

        Raises WatchPositionTooOld when history after the cursor was pruned.
        """
        request = job_service_pb2.WatchJobsRequest(cursor=cursor or "", job_id=job_id, queue=queue)
        outage = Outage(self._timeout)
        while True:
            call = self._stubs.jobs.WatchJobs(
                request,
                timeout=_WATCH_SECONDS,
                metadata=self._endpoint.metadata,
                wait_for_ready=self._wait_for_ready,
            )
            pause = random.uniform(0, _LONGEST_BREATH)
            try:
                for message in call:
                    outage.over()
                    request.cursor = message.cursor
                    if message.HasField("event"):
                        yield Watched(event_from_proto(message.event), message.cursor)
            except grpc.RpcError as error:
                pause = outage.pause(error_from_call(error))
            finally:
                call.cancel()
            time.sleep(pause)
