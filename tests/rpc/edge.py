"""The gRPC edge with stand-ins for the services behind it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, TypeVar
from uuid import UUID

import grpc.aio
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from tenure_server.domain.job import Document, Job, JobHead, JobRecord
from tenure_server.domain.lifecycle_document import built_ins
from tenure_server.rpc.listen import Listen
from tenure_server.rpc.server import RpcOptions, RpcServer, Services
from tenure_server.service.calls import Grant
from tenure_server.service.lifecycles import Catalogue

AT = datetime(2026, 10, 4, 12, 0, tzinfo=UTC)
JOB_ID = UUID("0199ad6c-0000-7000-8000-000000000001")
TOKEN = b"t" * 32
LEASE = timedelta(seconds=60)
CATALOGUE = Catalogue(built_ins())

Detail = TypeVar("Detail", bound=Message)


def job(**said: Any) -> Job:
    """A waiting job of the standard lifecycle, but for what is said."""
    plain: dict[str, Any] = dict.fromkeys(Job._fields) | {
        "scope": "default",
        "id": JOB_ID,
        "queue": "queue",
        "kind": "",
        "lifecycle": "standard",
        "lifecycle_version": 1,
        "state": "pending",
        "phase": "WAITING",
        "priority": 0,
        "attempt": 1,
        "max_attempts": 1,
        "version": 0,
        "fence": 0,
        "phase_index": 0,
        "pinned": False,
        "create_time": AT,
        "update_time": AT,
    }
    return Job(**plain | said)


def leased(**said: Any) -> Job:
    """A running job with a lease that was granted at AT."""
    return job(
        **{
            "state": "running",
            "phase": "ACTIVE",
            "version": 1,
            "fence": 1,
            "lease_token": TOKEN,
            "lease_holder": "worker",
            "lease_duration": LEASE,
            "lease_expire_time": AT + LEASE,
            "heartbeat_time": AT,
            "start_time": AT,
        }
        | said
    )


def head_of(row: Job) -> JobHead:
    """What decisions know of a job."""
    return JobHead(*(getattr(row, name) for name in JobHead._fields))


def record(row: Job, documents: dict[str, Document] | None = None, **labels: str) -> JobRecord:
    """A job with documents and labels."""
    return JobRecord(row, labels, documents or {})


def grant(row: Job | None = None, payload: bytes = b"") -> Grant:
    """A lease as the service gives it."""
    row = row or leased()
    return Grant(record(row, {"payload": Document(payload)}), row.lease_token or TOKEN)


def rpc_server(listens: Sequence[Listen], **said: Any) -> RpcServer:
    """A server on stand-ins: `jobs`, `leases`, `queues`, `watching`, `info`; the rest are options."""
    names = ("jobs", "watching", "leases", "queues", "info")
    services: dict[str, Any] = {name: said.pop(name, SimpleNamespace()) for name in names}
    return RpcServer(Services(**services, catalogue=CATALOGUE), RpcOptions(listens=listens, **said))


@asynccontextmanager
async def serving(**said: Any) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a running server on stand-ins."""
    server = rpc_server([Listen("127.0.0.1")], **said)
    (address,) = await server.start()
    await server.set_serving()
    async with grpc.aio.insecure_channel(address) as channel:
        yield channel
    await server.drain(0)


def status_of_call(error: grpc.aio.AioRpcError) -> Status:
    """The status behind a failed call."""
    packed = dict(error.trailing_metadata() or ())["grpc-status-details-bin"]
    assert isinstance(packed, bytes)
    return Status.FromString(packed)


def detail(status: Status, kind: type[Detail]) -> Detail:
    """The one detail of this kind."""
    found = [kind() for packed in status.details if packed.Is(kind.DESCRIPTOR)]
    (message,) = found
    assert any(packed.Unpack(message) for packed in status.details)
    return message


def reason(status: Status) -> str:
    """The reason in the status."""
    info = detail(status, ErrorInfo)
    assert info.domain == "tenure"
    return str(info.reason)
