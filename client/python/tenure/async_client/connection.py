"""One channel to a server, its stubs, and the errors of its calls."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from tenure.channel import Endpoint, endpoint
from tenure.status import error_from_call
from tenure.v1 import (
    admin_service_pb2_grpc,
    job_service_pb2_grpc,
    lease_service_pb2_grpc,
    queue_service_pb2_grpc,
)

Request = TypeVar("Request", bound=Message)
Reply = TypeVar("Reply", bound=Message)


class AsyncStubs:
    """An open channel with the stubs of all services."""

    def __init__(self, opened: grpc.aio.Channel) -> None:
        self.channel = opened
        self.jobs = job_service_pb2_grpc.JobServiceStub(opened)
        self.leases = lease_service_pb2_grpc.LeaseServiceStub(opened)
        self.queues = queue_service_pb2_grpc.QueueServiceStub(opened)
        self.admin = admin_service_pb2_grpc.AdminServiceStub(opened)


class AsyncConnection:
    """What all groups of calls share. The channel opens with the first call."""

    def __init__(
        self,
        target: str,
        *,
        token: str | None = None,
        root_certificates: bytes | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = 30,
        wait_for_ready: bool = False,
    ) -> None:
        """Remember where the server is.

        `target` is `host:port`, `unix:/path` or `https://host`; see tenure.channel. `timeout` is the
        deadline of a call in seconds, at most 30, apart from what a call is asked to wait. With
        `wait_for_ready` calls wait for a server to come up within their deadline.
        """
        self._endpoint = endpoint(
            target, token=token, root_certificates=root_certificates, credentials=credentials
        )
        self._timeout = timeout
        self._wait_for_ready = wait_for_ready
        self._opening = threading.Lock()
        self._opened: AsyncStubs | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all calls and close the channel; closing again does nothing."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.channel.close()

    @property
    def _stubs(self) -> AsyncStubs:
        if self._opened is None:
            with self._opening:
                if self._opened is None:
                    self._opened = AsyncStubs(_open(self._endpoint))
        return self._opened

    async def _call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Reply],
        request: Request,
        timeout: float | None = None,
    ) -> Reply:
        try:
            return await method(
                request,
                timeout=self._timeout if timeout is None else timeout,
                metadata=self._endpoint.metadata,
                wait_for_ready=self._wait_for_ready,
            )
        except grpc.RpcError as error:
            raise error_from_call(error) from error


def _open(where: Endpoint) -> grpc.aio.Channel:
    if where.credentials is None:
        return grpc.aio.insecure_channel(where.address, options=where.options())
    return grpc.aio.secure_channel(where.address, where.credentials, options=where.options())
