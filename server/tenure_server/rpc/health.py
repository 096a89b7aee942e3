"""The standard health service: what a load balancer asks. Its watches end when the server stops."""

import asyncio
from collections.abc import Iterable

import grpc
import grpc.aio
from grpc_health.v1.health_pb2 import (
    HealthCheckRequest,
    HealthCheckResponse,
    HealthListRequest,
    HealthListResponse,
)
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from tenure_server.rpc.callers import Context


class Health:
    """One answer for the whole server, under "" and under the name of each service; at first NOT_SERVING."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(("", *services))
        self._status = HealthCheckResponse.NOT_SERVING
        self._closed = False
        self._changed = asyncio.Condition()

    async def set_serving(self) -> None:
        """Calls are welcome."""
        await self._set(HealthCheckResponse.SERVING)

    async def set_not_serving(self) -> None:
        """Calls are better sent elsewhere."""
        await self._set(HealthCheckResponse.NOT_SERVING)

    async def close(self) -> None:
        """Say NOT_SERVING for the last time and end all watches, which would hold up the server's stop."""
        self._closed = True
        await self._set(HealthCheckResponse.NOT_SERVING)

    async def _set(self, status: HealthCheckResponse.ServingStatus) -> None:
        async with self._changed:
            self._status = HealthCheckResponse.NOT_SERVING if self._closed else status
            self._changed.notify_all()

    async def Check(self, request: HealthCheckRequest, context: Context) -> HealthCheckResponse:
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service here")
        return HealthCheckResponse(status=self._status)

    async def List(self, request: HealthListRequest, context: Context) -> HealthListResponse:
        answer = HealthCheckResponse(status=self._status)
        return HealthListResponse(statuses=dict.fromkeys(self._services, answer))

    async def Watch(self, request: HealthCheckRequest, context: Context) -> None:
        told = None
        while True:
            async with self._changed:
                while told == self._of(request.service) and not self._closed:
                    await self._changed.wait()
            status = self._of(request.service)
            if status != told:
                await context.write(HealthCheckResponse(status=status))
                told = status
            if self._closed:
                return

    def _of(self, service: str) -> HealthCheckResponse.ServingStatus:
        return self._status if service in self._services else HealthCheckResponse.SERVICE_UNKNOWN


def add_health(server: grpc.aio.Server, health: Health) -> None:
    """Answer the standard health service."""
    add_HealthServicer_to_server(health, server)
