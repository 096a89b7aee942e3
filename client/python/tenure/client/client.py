# Generated from client/python/tenure/async_client/client.py by make generate; do not edit.
"""All calls in one object."""

from __future__ import annotations

from tenure.client.job_verbs import JobVerbs
from tenure.client.job_waits import JobWaits
from tenure.client.jobs import JobCalls
from tenure.client.leases import LeaseCalls
from tenure.client.queues import QueueCalls


class Client(JobCalls, JobVerbs, JobWaits, LeaseCalls, QueueCalls):
    """Tenure over one channel. Every call that changes something can be repeated without harm.

    Calls raise the errors of tenure.errors. What gRPC's own retries cannot mend within the deadline
    arrives as Unavailable or DeadlineExceeded.
    """
