# Generated from client/python/tenure/async_client/queues.py by make generate; do not edit.
"""Queues and the server itself."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.client.connection import Connection
from tenure.model.queue import Queue, queue_from_proto
from tenure.model.server_info import ServerInfo, server_info_from_proto
from tenure.v1 import admin_service_pb2, queue_service_pb2


class QueueCalls(Connection):
    """Calls of operators."""

    def get_queue(self, name: str) -> Queue:
        """Read one queue; one that nobody has named yet is simply empty."""
        request = queue_service_pb2.GetQueueRequest(name=name)
        reply = self._call(self._stubs.queues.GetQueue, request)
        return queue_from_proto(reply.queue)

    def list_queues(self) -> Iterator[Queue]:
        """Iterate over the queues that have settings or jobs, by name."""
        page_token = ""
        while True:
            request = queue_service_pb2.ListQueuesRequest(page_token=page_token)
            reply = self._call(self._stubs.queues.ListQueues, request)
            for queue in reply.queues:
                yield queue_from_proto(queue)
            page_token = reply.next_page_token
            if not page_token:
                return

    def update_queue(self, name: str, *, paused: bool | None = None, max_active: int | None = None) -> Queue:
        """Pause a queue or let it go on; bound how many of its jobs are leased at once, 0 for no bound.

        A pause holds from the reply on.
        """
        request = queue_service_pb2.UpdateQueueRequest(name=name, paused=paused, max_active=max_active)
        reply = self._call(self._stubs.queues.UpdateQueue, request)
        return queue_from_proto(reply.queue)

    def server_info(self) -> ServerInfo:
        """Ask what the server is and what it allows."""
        request = admin_service_pb2.GetServerInfoRequest()
        reply = self._call(self._stubs.admin.GetServerInfo, request)
        return server_info_from_proto(reply)
