"""Type stubs for *_pb2_grpc modules, which protoc does not write: blocking and asyncio, both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from google.protobuf.descriptor_pb2 import (
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

_PREAMBLE = """\
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Protocol, TypeVar, overload, type_check_only

import grpc
import grpc.aio
{imports}

_Message_co = TypeVar("_Message_co", covariant=True)

@type_check_only
class _Context(grpc.ServicerContext, grpc.aio.ServicerContext[Any, Any]):  # type: ignore[misc]
    \"\"\"What a method of either kind of server may declare as its context.\"\"\"

@type_check_only
class _Requests(AsyncIterator[_Message_co], Iterator[_Message_co], Protocol[_Message_co]):
    \"\"\"What a method of either kind of server may declare as its stream of requests.\"\"\"
"""


def service_types(file: FileDescriptorProto, described: FileDescriptorSet) -> str:
    """Return the text of the .pyi for the services of one file; `described` has all files it imports."""
    modules = _modules_by_message(described)
    used = {modules[name] for service in file.service for name in _message_names(service)}
    blocks = [_PREAMBLE.format(imports="\n".join(_import_line(module) for module in sorted(used)))]
    for service in file.service:
        blocks += ["\n".join(lines) + "\n" for lines in _service_blocks(service, modules)]
    return "\n".join(blocks)


def _modules_by_message(described: FileDescriptorSet) -> dict[str, str]:
    return {
        f".{file.package}.{message.name}": file.name.removesuffix(".proto").replace("/", ".") + "_pb2"
        for file in described.file
        for message in file.message_type
    }


def _message_names(service: ServiceDescriptorProto) -> Iterator[str]:
    for method in service.method:
        yield method.input_type
        yield method.output_type


def _import_line(module: str) -> str:
    package, _, name = module.rpartition(".")
    return f"from {package} import {name}"


def _service_blocks(service: ServiceDescriptorProto, modules: Mapping[str, str]) -> Iterator[Sequence[str]]:
    name = service.name
    yield [
        f"class {name}Stub:",
        "    @overload",
        f"    def __new__(cls, channel: grpc.Channel) -> {name}Stub: ...",
        "    @overload",
        f"    def __new__(cls, channel: grpc.aio.Channel) -> {name}AsyncStub: ...",
        *(_callable(method, modules, "grpc") for method in service.method),
    ]
    yield [
        "@type_check_only",
        f"class {name}AsyncStub({name}Stub):",
        f'    """What {name}Stub is over an asyncio channel; there is no such name at run time."""',
        "",
        *(
            f"{_callable(method, modules, 'grpc.aio')}  # type: ignore[assignment]"
            for method in service.method
        ),
    ]
    yield [f"class {name}Servicer:", *(_handler(method, modules) for method in service.method)]
    yield [
        f"def add_{name}Servicer_to_server("
        f"servicer: {name}Servicer, server: grpc.Server | grpc.aio.Server) -> None: ..."
    ]


def _types(method: MethodDescriptorProto, modules: Mapping[str, str]) -> tuple[str, str]:
    request, response = (
        f"{modules[name].rpartition('.')[2]}.{name.rpartition('.')[2]}"
        for name in (method.input_type, method.output_type)
    )
    return request, response


def _callable(method: MethodDescriptorProto, modules: Mapping[str, str], library: str) -> str:
    request, response = _types(method, modules)
    kind = ("Stream" if method.client_streaming else "Unary") + (
        "Stream" if method.server_streaming else "Unary"
    )
    return f"    {method.name}: {library}.{kind}MultiCallable[{request}, {response}]"


def _handler(method: MethodDescriptorProto, modules: Mapping[str, str]) -> str:
    request, response = _types(method, modules)
    parameter = (
        f"request_iterator: _Requests[{request}]" if method.client_streaming else f"request: {request}"
    )
    returned = (
        f"Iterator[{response}] | AsyncIterator[{response}]"
        if method.server_streaming
        else f"{response} | Awaitable[{response}]"
    )
    return f"    def {method.name}(self, {parameter}, context: _Context) -> {returned}: ..."
