"""The gRPC server: its options, its services, where it listens, and how it stops."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import grpc.aio

from tenure.v1 import admin_service_pb2, job_service_pb2, lease_service_pb2, queue_service_pb2
from tenure.v1.admin_service_pb2_grpc import add_AdminServiceServicer_to_server
from tenure.v1.job_service_pb2_grpc import add_JobServiceServicer_to_server
from tenure.v1.lease_service_pb2_grpc import add_LeaseServiceServicer_to_server
from tenure.v1.queue_service_pb2_grpc import add_QueueServiceServicer_to_server
from tenure_server.rpc.admin_servicer import AdminServicer
from tenure_server.rpc.health import Health, add_health
from tenure_server.rpc.interceptors import CallInterceptor
from tenure_server.rpc.job_servicer import JobServicer
from tenure_server.rpc.lease_servicer import LeaseServicer
from tenure_server.rpc.limits import MAX_MESSAGE_BYTES, MAX_METADATA_BYTES
from tenure_server.rpc.listen import Listen, ListenError, require_free
from tenure_server.rpc.queue_servicer import QueueServicer
from tenure_server.rpc.reflection import add_reflection
from tenure_server.rpc.tls import Tls
from tenure_server.rpc.unix_socket import UnixSocket
from tenure_server.rpc.validation import Validator
from tenure_server.service.jobs import Jobs
from tenure_server.service.leases import Leases
from tenure_server.service.lifecycles import Catalogue
from tenure_server.service.queues import Queues
from tenure_server.service.server_info import ServerInfo
from tenure_server.service.watching import Watching

FILES = (
    job_service_pb2.DESCRIPTOR,
    lease_service_pb2.DESCRIPTOR,
    queue_service_pb2.DESCRIPTOR,
    admin_service_pb2.DESCRIPTOR,
)
SERVICES = tuple(service for file in FILES for service in file.services_by_name.values())
MINUTE = 60_000
QUIET = 1.0
"""Seconds without a call after which a draining server takes no more."""


class Services(NamedTuple):
    """What the server gives access to."""

    jobs: Jobs
    watching: Watching
    leases: Leases
    queues: Queues
    info: ServerInfo
    catalogue: Catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcOptions:
    """Where to listen and how; plain text on addresses that others can reach needs `insecure_ok`.

    `max_streams` is how many calls one connection may have open; those above it wait unseen.
    """

    listens: Sequence[Listen]
    tls: Tls | None = None
    insecure_ok: bool = False
    reflection: bool = True
    max_streams: int = 256

    def require_safe(self) -> None:
        """Raise ListenError where strangers could listen in and nobody said that this is fine."""
        for listen in self.listens:
            listen.require_safe(tls=self.tls is not None, insecure_ok=self.insecure_ok)


class RpcServer:
    """Listens from `start` to `drain`."""

    def __init__(self, services: Services, options: RpcOptions) -> None:
        self._options = options
        self._sockets: list[UnixSocket] = []
        self._health = Health(service.full_name for service in SERVICES)
        validator = Validator(SERVICES)
        self._calls = CallInterceptor(validator)
        self._server = grpc.aio.server(
            interceptors=[self._calls], options=channel_options(options.max_streams)
        )
        _add(services, validator, self._server)
        add_health(self._server, self._health)
        if options.reflection:
            add_reflection(self._server, FILES, [service.full_name for service in SERVICES])

    async def start(self) -> list[str]:
        """Listen everywhere, or raise ListenError; returns the addresses, free ports filled in.

        Health says NOT_SERVING until `set_serving`.
        """
        self._options.require_safe()
        credentials = self._options.tls.credentials() if self._options.tls is not None else None
        try:
            bound = [await self._bind(listen, credentials) for listen in self._options.listens]
            await self._server.start()
        except BaseException:
            await self._stop(0)
            raise
        return bound

    async def set_serving(self) -> None:
        """Tell load balancers that calls are welcome."""
        await self._health.set_serving()

    async def set_not_serving(self) -> None:
        """Tell load balancers to send calls elsewhere; those that come are answered all the same."""
        await self._health.set_not_serving()

    async def drain(self, grace: float) -> None:
        """Say NOT_SERVING, go on answering holders until they are quiet, then let calls under way end.

        All of it takes at most `grace` seconds.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + grace
        await self._health.close()
        await self._quiet(until)
        await self._stop(max(0.0, until - loop.time()))

    async def _quiet(self, until: float) -> None:
        """Return once no call has come for a while, or at that time."""
        loop = asyncio.get_running_loop()
        while True:
            rest = min(self._calls.last_call + QUIET, until) - loop.time()
            if rest <= 0:
                return
            await asyncio.sleep(rest)

    async def _stop(self, grace: float) -> None:
        for unix_socket in self._sockets:
            unix_socket.remove()
        await self._server.stop(grace)

    async def _bind(self, listen: Listen, credentials: grpc.ServerCredentials | None) -> str:
        if listen.path is not None:
            await self._bind_socket(listen)
            return str(listen)
        await require_free(listen)
        try:
            if credentials is None:
                port = self._server.add_insecure_port(str(listen))
            else:
                port = self._server.add_secure_port(str(listen), credentials)
        except RuntimeError:
            raise ListenError(f"cannot listen on {listen}.") from None
        return str(Listen(listen.host, port))

    async def _bind_socket(self, listen: Listen) -> None:
        unix_socket = UnixSocket(listen)
        async with unix_socket.claimed():
            try:
                self._server.add_insecure_port(f"unix:{unix_socket.bound}")
            except RuntimeError:
                raise ListenError(f"cannot listen on {listen}.") from None
            unix_socket.publish()
        self._sockets.append(unix_socket)


def channel_options(max_streams: int) -> list[tuple[str, int]]:
    """What gRPC is told about connections and messages."""
    return [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        # Two names for a soft and a hard limit; between them headers are refused at random.
        ("grpc.max_metadata_size", MAX_METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        # Common clients ping every 20 s; the default of five minutes would cut them off.
        ("grpc.http2.min_ping_interval_without_data_ms", 20_000),
        ("grpc.http2.max_ping_strikes", 2),
        ("grpc.max_connection_idle_ms", 15 * MINUTE),
        # gRPC moves it by up to a tenth, so that connections do not end together.
        ("grpc.max_connection_age_ms", 30 * MINUTE),
        ("grpc.max_connection_age_grace_ms", MINUTE),
        ("grpc.max_concurrent_streams", max_streams),
        ("grpc.so_reuseport", 0),
    ]


def _add(services: Services, validator: Validator, server: grpc.aio.Server) -> None:
    known = services.catalogue
    add_JobServiceServicer_to_server(JobServicer(services.jobs, services.watching, known, validator), server)
    add_LeaseServiceServicer_to_server(LeaseServicer(services.leases, known, validator), server)
    add_QueueServiceServicer_to_server(QueueServicer(services.queues), server)
    add_AdminServiceServicer_to_server(AdminServicer(services.info), server)
