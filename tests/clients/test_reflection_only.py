"""A client that has no stubs: all it knows it learns from the server's reflection."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from tests.fixtures.server import Server


class ForeignClient:
    """Calls any method by name, with and to plain dictionaries."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))

    def call(self, service: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
        found = self._pool.FindServiceByName(service).FindMethodByName(method)
        asked = GetMessageClass(found.input_type)()
        json_format.ParseDict(request, asked)
        invoke: Any = self._channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(found.output_type).FromString,
        )
        answer: dict[str, Any] = json_format.MessageToDict(
            invoke(asked, timeout=10), preserving_proto_field_name=True
        )
        return answer


@pytest.fixture
async def channel(server: Server) -> AsyncIterator[grpc.Channel]:
    with grpc.insecure_channel(server.target) as channel:
        yield channel


async def test_a_job_is_created_leased_renewed_and_finished(channel: grpc.Channel) -> None:
    import asyncio

    def story() -> dict[str, Any]:
        foreign = ForeignClient(channel)
        leases, jobs = "tenure.v1.LeaseService", "tenure.v1.JobService"
        created = foreign.call(jobs, "CreateJob", {"job": {"queue": "q", "payload": {"content": "aGk="}}})
        acquired = foreign.call(leases, "AcquireLease", {"holder": "stranger", "queues": ["q"]})
        (grant,) = acquired["grants"]
        proof = {"job_id": grant["job"]["id"], "token": grant["token"]}
        renewed = foreign.call(leases, "Renew", proof)
        foreign.call(leases, "Transition", {**proof, "to": "succeeded", "result": {"content": "b2s="}})
        assert created["job"]["id"] == grant["job"]["id"]
        assert renewed["lease"]["version"] == "2"
        found: dict[str, Any] = foreign.call(jobs, "GetJob", {"job_id": grant["job"]["id"]})["job"]
        return found

    job = await asyncio.to_thread(story)

    assert (job["state"], job["phase"], job["result"]["content"]) == ("succeeded", "PHASE_SUCCEEDED", "b2s=")
