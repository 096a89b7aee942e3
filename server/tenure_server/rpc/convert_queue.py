"""From domain to proto: queues, and what the server is."""

from tenure.v1 import admin_service_pb2, queue_pb2
from tenure_server.rpc import limits
from tenure_server.service.server_info import ServerFacts
from tenure_server.store.queues import StoredQueue


def queue_to_proto(queue: StoredQueue) -> queue_pb2.Queue:
    """A queue and what lies in it."""
    return queue_pb2.Queue(
        name=queue.name,
        paused=queue.paused,
        max_active=queue.max_active,
        ready=queue.ready,
        leased=queue.leased,
        update_time=queue.update_time,
    )


def server_info_to_proto(facts: ServerFacts) -> admin_service_pb2.GetServerInfoResponse:
    """What the server is and allows."""
    return admin_service_pb2.GetServerInfoResponse(
        version=facts.version,
        schema_version=facts.schema_version,
        database_time=facts.database_time,
        clock_offset=facts.clock_offset,
        limits=admin_service_pb2.Limits(
            max_document_bytes=limits.MAX_DOCUMENT_BYTES,
            max_batch_items=limits.MAX_BATCH_ITEMS,
            max_labels=limits.MAX_LABELS,
            max_wait=limits.MAX_WAIT,
            min_lease_duration=limits.MIN_LEASE,
            max_lease_duration=limits.MAX_LEASE,
            max_message_bytes=limits.MAX_MESSAGE_BYTES,
        ),
    )
