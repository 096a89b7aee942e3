"""Server reflection, v1 and v1alpha, for clients that bring no protos of their own."""

from collections.abc import Iterable, Sequence

import grpc
import grpc.aio
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc import error_details_pb2
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

V1ALPHA = "grpc.reflection.v1alpha"
V1 = "grpc.reflection.v1"
SERVICE = "ServerReflection"
METHOD = "ServerReflectionInfo"


def add_reflection(server: grpc.aio.Server, files: Iterable[FileDescriptor], services: Sequence[str]) -> None:
    """Show these services, health and reflection itself, with every file they need.

    The error details are among them: a client without protos can then print the details of a status.
    """
    pool = DescriptorPool()
    known: set[str] = set()
    for file in (*files, error_details_pb2.DESCRIPTOR, health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR):
        _add(pool, file, known)
    pool.Add(_v1())
    names = [f"{package}.{SERVICE}" for package in (V1, V1ALPHA)]
    shown = [*services, health.SERVICE_NAME, *names]
    answer = reflection.aio.ReflectionServicer(shown, pool=pool).ServerReflectionInfo
    # v1 differs from v1alpha by its name alone: the same messages serve both.
    handler = grpc.stream_stream_rpc_method_handler(
        answer,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(name, {METHOD: handler}) for name in names]
    )


def _add(pool: DescriptorPool, file: FileDescriptor, known: set[str]) -> None:
    """Add a file after the files it imports."""
    if file.name in known:
        return
    known.add(file.name)
    for imported in file.dependencies:
        _add(pool, imported, known)
    proto = FileDescriptorProto()
    file.CopyToProto(proto)
    pool.Add(proto)


def _v1() -> FileDescriptorProto:
    proto = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(proto)
    proto.name = proto.name.replace("v1alpha", "v1")
    proto.package = V1
    for message in proto.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = field.type_name.replace(V1ALPHA, V1)
    for service in proto.service:
        for method in service.method:
            method.input_type = method.input_type.replace(V1ALPHA, V1)
            method.output_type = method.output_type.replace(V1ALPHA, V1)
    return proto
