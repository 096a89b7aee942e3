"""Health, reflection, and how a server ends."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import grpc.aio
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse, HealthListRequest
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from tenure.v1.queue_service_pb2 import GetQueueRequest
from tenure.v1.queue_service_pb2_grpc import QueueServiceStub
from tenure_server.rpc.listen import Listen
from tenure_server.rpc.server import channel_options
from tenure_server.store.queues import StoredQueue
from tests.rpc.edge import rpc_server, serving

SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING
SERVICES = [f"tenure.v1.{name}Service" for name in ("Admin", "Job", "Lease", "Queue")]


async def test_health_tells_of_the_server_and_of_each_service() -> None:
    async with serving() as channel:
        stub = HealthStub(channel)
        answers = [await stub.Check(HealthCheckRequest(service=name)) for name in ("", *SERVICES)]
        listed = await stub.List(HealthListRequest())
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await stub.Check(HealthCheckRequest(service="tenure.v1.NoService"))

    assert {answer.status for answer in answers} == {SERVING}
    assert sorted(listed.statuses) == ["", *SERVICES]
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_server_is_not_serving_until_it_is_said_to_be() -> None:
    server = rpc_server([Listen("127.0.0.1")])
    (address,) = await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        watch = HealthStub(channel).Watch(HealthCheckRequest())
        first = await watch.read()
        await server.set_serving()
        second = await watch.read()
        await server.set_not_serving()
        third = await watch.read()
        await server.drain(0)

    assert [answer.status for answer in (first, second, third)] == [NOT_SERVING, SERVING, NOT_SERVING]


async def test_a_health_watch_hears_of_the_end_and_does_not_hold_it_up() -> None:
    server = rpc_server([Listen("127.0.0.1")])
    (address,) = await server.start()
    await server.set_serving()
    async with grpc.aio.insecure_channel(address) as channel:
        watch = HealthStub(channel).Watch(HealthCheckRequest(service=SERVICES[0]))
        await watch.read()
        await asyncio.wait_for(server.drain(60), 20)
        told = await watch.read()
        end = await watch.read()

    assert told.status == NOT_SERVING
    assert end is grpc.aio.EOF


async def test_a_call_under_way_is_finished_within_the_grace() -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def get(*_: object) -> StoredQueue:
        began.set()
        await go_on.wait()
        return StoredQueue("q", False, None, None, 0, 0)

    server = rpc_server([Listen("127.0.0.1")], queues=SimpleNamespace(get=get))
    (address,) = await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        stub = QueueServiceStub(channel)
        under_way = asyncio.ensure_future(stub.GetQueue(GetQueueRequest(name="q")))
        await began.wait()
        drained = asyncio.create_task(server.drain(60))
        await asyncio.sleep(0)
        go_on.set()
        reply = await under_way
        await asyncio.wait_for(drained, 20)

    assert reply.queue.name == "q"


async def test_a_call_that_outlasts_the_grace_is_cut() -> None:
    began = asyncio.Event()

    async def get(*_: object) -> None:
        began.set()
        await asyncio.Event().wait()

    server = rpc_server([Listen("127.0.0.1")], queues=SimpleNamespace(get=get))
    (address,) = await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        under_way = asyncio.ensure_future(QueueServiceStub(channel).GetQueue(GetQueueRequest(name="q")))
        await began.wait()
        await asyncio.wait_for(server.drain(0.05), 20)
        with pytest.raises(grpc.aio.AioRpcError) as cut:
            await under_way

    assert cut.value.code() is grpc.StatusCode.UNAVAILABLE


async def ask(
    channel: grpc.aio.Channel, version: str, *requests: ServerReflectionRequest
) -> list[ServerReflectionResponse]:
    async def sent() -> AsyncIterator[ServerReflectionRequest]:
        for request in requests:
            yield request

    method: Any = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=ServerReflectionRequest.SerializeToString,
        response_deserializer=ServerReflectionResponse.FromString,
    )
    return [reply async for reply in method(sent())]


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_reflection_shows_every_service_and_all_files_it_needs(version: str) -> None:
    wanted = [*SERVICES, "grpc.health.v1.Health", f"grpc.reflection.{version}.ServerReflection"]
    details = ["google.rpc.ErrorInfo", "google.rpc.Status", "buf.validate.FieldRules"]
    async with serving() as channel:
        (listed,) = await ask(channel, version, ServerReflectionRequest(list_services=""))
        shown = await ask(
            channel,
            version,
            *(ServerReflectionRequest(file_containing_symbol=name) for name in [*wanted, *details]),
        )

    names = {service.name for service in listed.list_services_response.service}
    assert set(wanted) <= names
    for reply in shown:
        given = [
            FileDescriptorProto.FromString(file)
            for file in reply.file_descriptor_response.file_descriptor_proto
        ]
        assert given
        assert {needed for file in given for needed in file.dependency} <= {file.name for file in given}


async def test_reflection_finds_the_rules_as_extensions() -> None:
    request = ServerReflectionRequest()
    request.file_containing_extension.containing_type = "google.protobuf.FieldOptions"
    request.file_containing_extension.extension_number = 1159
    async with serving() as channel:
        (reply,) = await ask(channel, "v1", request)

    assert reply.file_descriptor_response.file_descriptor_proto


async def test_reflection_can_be_switched_off() -> None:
    async with serving(reflection=False) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ask(channel, "v1", ServerReflectionRequest(list_services=""))

    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_connections_are_bounded_as_documented() -> None:
    options = dict(channel_options(256))

    assert options["grpc.max_receive_message_length"] == options["grpc.max_send_message_length"] == 4 * 2**20
    assert options["grpc.max_concurrent_streams"] == 256
    assert options["grpc.so_reuseport"] == 0
    assert options["grpc.http2.min_ping_interval_without_data_ms"] == 20_000
