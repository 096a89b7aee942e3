"""AdminService: convert, ask the service, convert."""

from tenure.v1 import admin_service_pb2 as pb
from tenure.v1.admin_service_pb2_grpc import AdminServiceServicer
from tenure_server.rpc.callers import Context
from tenure_server.rpc.convert_queue import server_info_to_proto
from tenure_server.service.server_info import ServerInfo


class AdminServicer(AdminServiceServicer):
    """For those who run Tenure."""

    def __init__(self, info: ServerInfo) -> None:
        self._info = info

    async def GetServerInfo(
        self, request: pb.GetServerInfoRequest, context: Context
    ) -> pb.GetServerInfoResponse:
        return server_info_to_proto(await self._info.read())
