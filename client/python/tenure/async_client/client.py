"""All calls in one object."""

from __future__ import annotations

from tenure.async_client.job_verbs import AsyncJobVerbs
from tenure.async_client.job_waits import AsyncJobWaits
from tenure.async_client.jobs import AsyncJobCalls
from tenure.async_client.leases import AsyncLeaseCalls
from tenure.async_client.queues import AsyncQueueCalls


class AsyncClient(AsyncJobCalls, AsyncJobVerbs, AsyncJobWaits, AsyncLeaseCalls, AsyncQueueCalls):
    """Tenure over one channel. Every call that changes something can be repeated without harm.

    Calls raise the errors of tenure.errors. What gRPC's own retries cannot mend within the deadline
    arrives as Unavailable or DeadlineExceeded.
    """
