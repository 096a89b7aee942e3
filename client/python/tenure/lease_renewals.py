"""Sending renewals over a connection of their own, without waiting for the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import grpc

from tenure.channel import Endpoint
from tenure.errors import CallCancelled, TenureError
from tenure.status import error_from_call
from tenure.v1 import lease_service_pb2, lease_service_pb2_grpc

Answer = Sequence[lease_service_pb2.RenewResult] | TenureError
Send = Callable[[Sequence[lease_service_pb2.RenewRequest], float, Callable[[Answer], None]], None]


class RenewalSender:
    """Calls BatchRenew; its channel shares nothing with other calls, so that none can hold it up."""

    def __init__(self, where: Endpoint) -> None:
        options = where.options(own_connection=True)
        self._metadata = where.metadata
        self._channel = (
            grpc.insecure_channel(where.address, options=options)
            if where.credentials is None
            else grpc.secure_channel(where.address, where.credentials, options=options)
        )
        self._stub = lease_service_pb2_grpc.LeaseServiceStub(self._channel)

    def send(
        self,
        items: Sequence[lease_service_pb2.RenewRequest],
        timeout: float,
        answered: Callable[[Answer], None],
    ) -> None:
        """Send and return at once; `answered` is called later, by another thread."""
        request = lease_service_pb2.BatchRenewRequest(items=items)
        call = self._stub.BatchRenew.future(
            request, timeout=timeout, metadata=self._metadata, wait_for_ready=True
        )
        call.add_done_callback(lambda done: answered(_answer(done)))

    def close(self) -> None:
        self._channel.close()


def _answer(done: grpc.Future[lease_service_pb2.BatchRenewResponse]) -> Answer:
    try:
        return tuple(done.result().results)
    except grpc.FutureCancelledError:
        return CallCancelled("the channel was closed")
    except grpc.RpcError as error:
        return error_from_call(error)
