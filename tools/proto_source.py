"""The protos with their comments, as the pages of the manual read them."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

# Imported before a descriptor is read, or the rules in the options of its fields stay unread.
from buf.validate import validate_pb2
from tools.proto_stubs import ProtoError

Rules = validate_pb2.FieldRules

# What the generated stubs call a descriptor is, for protobuf, the key of an extension.
_MESSAGE_RULES: Any = validate_pb2.message
_FIELD_RULES: Any = validate_pb2.field

_MESSAGES, _ENUMS, _SERVICES = 4, 5, 6
_FIELDS = _METHODS = _VALUES = 2
_SCALARS = {
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_BYTES: "bytes",
    FieldDescriptorProto.TYPE_DOUBLE: "double",
    FieldDescriptorProto.TYPE_INT32: "int32",
    FieldDescriptorProto.TYPE_INT64: "int64",
    FieldDescriptorProto.TYPE_STRING: "string",
}
_ERROR_LINE = re.compile(r" *(?P<code>[A-Z_]+) +(?P<reason>[A-Z_]+): (?P<when>.*)")


class Refusal(NamedTuple):
    """One line of an Errors block."""

    code: str
    reason: str
    when: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field; `type` is as it is written in a proto, without package."""

    name: str
    type: str
    comment: str
    rules: Rules
    message: str
    """The name of the message or enum it holds, empty for others."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `rules` are the sentences of its rules across fields."""

    name: str
    comment: str
    fields: Sequence[Field]
    rules: Sequence[str]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an enum, without the prefix that all of them share."""

    name: str
    number: int
    comment: str


@dataclass(frozen=True, slots=True)
class Enum:
    """An enum."""

    name: str
    comment: str
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Method:
    """A call; `refusals` is its Errors block, which `comment` is without."""

    name: str
    comment: str
    refusals: Sequence[Refusal]
    request: str
    response: str
    streams: bool


@dataclass(frozen=True, slots=True)
class Service:
    """A service."""

    name: str
    comment: str
    methods: Sequence[Method]


@dataclass(frozen=True, slots=True)
class Source:
    """Everything in proto/tenure/v1, in the order of files and lines."""

    services: Sequence[Service]
    messages: Mapping[str, Message]
    enums: Mapping[str, Enum]


@cache
def read_protos(root: Path) -> Source:
    """Return what the protos below `root` say; raises ProtoError when they cannot be compiled."""
    files = [_File(file) for file in _described(root) if file.package == "tenure.v1"]
    return Source(
        services=[service for file in files for service in file.services()],
        messages={message.name: message for file in files for message in file.messages()},
        enums={enum.name: enum for file in files for enum in file.enums()},
    )


def _described(root: Path) -> Sequence[FileDescriptorProto]:
    proto_root = root / "proto"
    protos = sorted(path.relative_to(proto_root).as_posix() for path in proto_root.glob("tenure/v1/*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "described.binpb"
        command = [
            sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={proto_root}",
            f"--descriptor_set_out={target}", "--include_source_info", *protos,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ProtoError(done.stderr.strip())
        return FileDescriptorSet.FromString(target.read_bytes()).file


class _File:
    """One proto and the comments in it, by the path of what they stand before."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._file = file
        self._comments = {
            tuple(place.path): _text(place.leading_comments) for place in file.source_code_info.location
        }

    def services(self) -> Iterator[Service]:
        for index, service in enumerate(self._file.service):
            yield self._service(service, (_SERVICES, index))

    def messages(self) -> Iterator[Message]:
        for index, message in enumerate(self._file.message_type):
            yield self._message(message, (_MESSAGES, index))

    def enums(self) -> Iterator[Enum]:
        for index, enum in enumerate(self._file.enum_type):
            yield self._enum(enum, (_ENUMS, index))

    def _comment(self, *path: int) -> str:
        return self._comments.get(path, "")

    def _service(self, service: ServiceDescriptorProto, path: tuple[int, int]) -> Service:
        methods = [
            _method(method, self._comment(*path, _METHODS, index))
            for index, method in enumerate(service.method)
        ]
        return Service(service.name, self._comment(*path), methods)

    def _message(self, message: DescriptorProto, path: tuple[int, int]) -> Message:
        maps = {nested.name: nested for nested in message.nested_type if nested.options.map_entry}
        fields = [
            _field(field, maps, self._comment(*path, _FIELDS, index))
            for index, field in enumerate(message.field)
        ]
        rules = [rule.message for rule in message.options.Extensions[_MESSAGE_RULES].cel]
        return Message(message.name, self._comment(*path), fields, rules)

    def _enum(self, enum: EnumDescriptorProto, path: tuple[int, int]) -> Enum:
        prefix = re.sub("(?<=[a-z])(?=[A-Z])", "_", enum.name).upper() + "_"
        values = [
            Value(value.name.removeprefix(prefix), value.number, self._comment(*path, _VALUES, index))
            for index, value in enumerate(enum.value)
        ]
        return Enum(enum.name, self._comment(*path), values)


def _method(method: MethodDescriptorProto, comment: str) -> Method:
    text, _, errors = comment.partition("Errors:\n")
    found = [match for line in errors.splitlines() if (match := _ERROR_LINE.match(line))]
    return Method(
        name=method.name,
        comment=text.strip(),
        refusals=[Refusal(match["code"], match["reason"], match["when"]) for match in found],
        request=_short(method.input_type),
        response=_short(method.output_type),
        streams=method.server_streaming,
    )


def _field(field: FieldDescriptorProto, maps: Mapping[str, DescriptorProto], comment: str) -> Field:
    name = _SCALARS.get(field.type) or _short(field.type_name)
    held = name if field.type_name.startswith(".tenure.v1.") else ""
    entry = maps.get(name.rpartition(".")[2])
    if entry is not None:
        key, value = (_SCALARS[part.type] for part in entry.field)
        name, held = f"map<{key}, {value}>", ""
    elif field.label == FieldDescriptorProto.LABEL_REPEATED:
        name = f"repeated {name}"
    elif field.proto3_optional:
        name = f"optional {name}"
    return Field(field.name, name, comment, field.options.Extensions[_FIELD_RULES], held)


def _short(name: str) -> str:
    return name.removeprefix(".tenure.v1.").removeprefix(".google.protobuf.").removeprefix(".")


def _text(comment: str) -> str:
    return "\n".join(line.removeprefix(" ").rstrip() for line in comment.splitlines()).strip()
