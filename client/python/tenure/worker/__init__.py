"""Running handlers for jobs, with leases kept, results reported and directives obeyed."""

from tenure.worker.running_job import Cancelled, Paused, Reject, RunningJob
from tenure.worker.worker import Worker

__all__ = ["Cancelled", "Paused", "Reject", "RunningJob", "Worker"]
