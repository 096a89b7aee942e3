"""QueueService: convert, ask the service, convert."""

from tenure.v1 import queue_service_pb2 as pb
from tenure.v1.queue_service_pb2_grpc import QueueServiceServicer
from tenure_server.rpc.callers import Context, current
from tenure_server.rpc.convert_queue import queue_to_proto
from tenure_server.rpc.page_tokens import Tokens, page_length
from tenure_server.service.queues import Queues

QUEUES_PAGE, QUEUES_LONGEST = 50, 500


class QueueServicer(QueueServiceServicer):
    """For those who look at queues and bound them."""

    def __init__(self, queues: Queues) -> None:
        self._queues = queues

    async def GetQueue(self, request: pb.GetQueueRequest, context: Context) -> pb.GetQueueResponse:
        queue = await self._queues.get(current(), request.name)
        return pb.GetQueueResponse(queue=queue_to_proto(queue))

    async def ListQueues(self, request: pb.ListQueuesRequest, context: Context) -> pb.ListQueuesResponse:
        tokens = Tokens(current().scope, request)
        limit = page_length(request.page_size, QUEUES_PAGE, QUEUES_LONGEST)
        found = await self._queues.list(current(), after=tokens.queue(request.page_token), limit=limit + 1)
        token = tokens.after_queue(found[limit - 1].name) if len(found) > limit else ""
        return pb.ListQueuesResponse(
            queues=[queue_to_proto(queue) for queue in found[:limit]], next_page_token=token
        )

    async def UpdateQueue(self, request: pb.UpdateQueueRequest, context: Context) -> pb.UpdateQueueResponse:
        paused = request.paused if request.HasField("paused") else None
        max_active = request.max_active if request.HasField("max_active") else None
        queue = await self._queues.update(current(), request.name, paused, max_active)
        return pb.UpdateQueueResponse(queue=queue_to_proto(queue))
