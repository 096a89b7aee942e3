"""The client of Tenure, which says who holds which job, and until when."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure import errors
    from tenure.async_client import AsyncClient
    from tenure.client import Client
    from tenure.errors import LeaseLost, TenureError
    from tenure.lease_keeper import HeldLease, LeaseKeeper
    from tenure.model.document import Document
    from tenure.model.enums import Directive, EmptyReason, JobEventReason, Phase, Visibility
    from tenure.model.job import (
        Created,
        CreateResult,
        Failure,
        Job,
        JobEvent,
        Lease,
        NewJob,
        Page,
        Progress,
        RetryPolicy,
        Watched,
    )
    from tenure.model.lease import (
        Acquire,
        Acquired,
        Grant,
        ItemResult,
        LeaseKey,
        LeaseStatus,
        Release,
        Renewal,
        Transition,
        Transitioned,
        TransitionedMany,
    )
    from tenure.model.queue import Queue
    from tenure.model.server_info import Limits, ServerInfo
    from tenure.worker import Cancelled, Paused, Reject, RunningJob, Worker

__version__ = "0.1.0"

# Loaded when first used: the stubs and the pytest plugin live below this package and need none of it.
_HOMES = {
    "tenure.async_client": ("AsyncClient",),
    "tenure.client": ("Client",),
    "tenure.errors": ("LeaseLost", "TenureError"),
    "tenure.lease_keeper": ("HeldLease", "LeaseKeeper"),
    "tenure.model.document": ("Document",),
    "tenure.model.enums": ("Directive", "EmptyReason", "JobEventReason", "Phase", "Visibility"),
    "tenure.model.job": (
        "CreateResult", "Created", "Failure", "Job", "JobEvent", "Lease", "NewJob", "Page", "Progress",
        "RetryPolicy", "Watched",
    ),
    "tenure.model.lease": (
        "Acquire", "Acquired", "Grant", "ItemResult", "LeaseKey", "LeaseStatus", "Release", "Renewal",
        "Transition", "Transitioned", "TransitionedMany",
    ),
    "tenure.model.queue": ("Queue",),
    "tenure.model.server_info": ("Limits", "ServerInfo"),
    "tenure.worker": ("Cancelled", "Paused", "Reject", "RunningJob", "Worker"),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Acquire",
    "Acquired",
    "AsyncClient",
    "Cancelled",
    "Client",
    "CreateResult",
    "Created",
    "Directive",
    "Document",
    "EmptyReason",
    "Failure",
    "Grant",
    "HeldLease",
    "ItemResult",
    "Job",
    "JobEvent",
    "JobEventReason",
    "Lease",
    "LeaseKeeper",
    "LeaseKey",
    "LeaseLost",
    "LeaseStatus",
    "Limits",
    "NewJob",
    "Page",
    "Paused",
    "Phase",
    "Progress",
    "Queue",
    "Reject",
    "Release",
    "Renewal",
    "RetryPolicy",
    "RunningJob",
    "ServerInfo",
    "TenureError",
    "Transition",
    "Transitioned",
    "TransitionedMany",
    "Visibility",
    "Watched",
    "Worker",
    "__version__",
    "errors",
]


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("tenure.errors")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tenure' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
