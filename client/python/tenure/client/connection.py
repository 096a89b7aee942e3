# Generated from client/python/tenure/async_client/connection.py by make generate; do not edit.
"""One channel to a server, its stubs, and the errors of its calls."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self, TypeVar

import grpc
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


class Stubs:
    """An open channel with the stubs of all services."""

    def __init__(self, opened: grpc.Channel) -> None:
        self.channel = opened
        self.jobs = job_service_pb2_grpc.JobServiceStub(opened)
        self.leases = lease_service_pb2_grpc.LeaseServiceStub(opened)
        self.queues = queue_service_pb2_grpc.QueueServiceStub(opened)
        self.admin = admin_service_pb2_grpc.AdminServiceStub(opened)


class Connection:
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
        self._opened: Stubs | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all calls and close the channel; closing again does nothing."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.channel.close()

    @property
    def _stubs(self) -> Stubs:
        if self._opened is None:
            with self._opening:
                if self._opened is None:
                    self._opened = Stubs(_open(self._endpoint))
        return self._opened

    def _call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Reply],
        request: Request,
        timeout: float | None = None,
    ) -> Reply:
        try:
            return method(
                request,
                timeout=self._timeout if timeout is None else timeout,
                metadata=self._endpoint.metadata,
                wait_for_ready=self._wait_for_ready,
            )
        except grpc.RpcError as error:
            raise error_from_call(error) from error


def _open(where: Endpoint) -> grpc.Channel:
    if where.credentials is None:
        return grpc.insecure_channel(where.address, options=where.options())
    return grpc.secure_channel(where.address, where.credentials, options=where.options())
