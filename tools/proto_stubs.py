"""Python stubs, type stubs, descriptor set and retry policy, all made from proto/ by the pinned protoc."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from tools.generated import mark
from tools.service_types import service_types

PACKAGE_ROOT = PurePosixPath("client/python")
DESCRIPTORS = PACKAGE_ROOT / "tenure/v1/descriptors.binpb"
SERVICE_CONFIG = "tenure/v1/service_config.json"
VENDORED = "buf/validate/validate.proto"


class ProtoError(Exception):
    """The protos cannot be compiled; the text says why."""


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the Python packages tenure.v1 and buf.validate."""
    proto_root = root / "proto"
    protos = sorted(path.relative_to(proto_root).as_posix() for path in proto_root.glob("tenure/v1/*.proto"))
    if not protos:
        raise ProtoError("There is no .proto file in proto/tenure/v1.")
    with tempfile.TemporaryDirectory() as scratch:
        files = _compile(proto_root, [*protos, VENDORED], Path(scratch))
    files[PACKAGE_ROOT / "tenure/v1/__init__.py"] = _package_docstring()
    service_config = proto_root / SERVICE_CONFIG
    if service_config.is_file():
        files[PACKAGE_ROOT / SERVICE_CONFIG] = service_config.read_bytes()
    return files


def _compile(proto_root: Path, protos: Sequence[str], scratch: Path) -> dict[PurePosixPath, bytes]:
    descriptors = scratch / "descriptors.binpb"
    _run_protoc(proto_root, protos, scratch, descriptors)
    described = FileDescriptorSet.FromString(descriptors.read_bytes())
    files = {DESCRIPTORS: descriptors.read_bytes()}
    for file in described.file:
        if file.name in protos:
            files.update(_python_files(file, described, scratch))
    return files


def _run_protoc(proto_root: Path, protos: Sequence[str], scratch: Path, descriptors: Path) -> None:
    outputs = [f"--{plugin}_out={scratch}" for plugin in ("python", "pyi", "grpc_python")]
    # Without --include_source_info the set has no comments: small, and equal however the protos are laid out.
    described = [f"--descriptor_set_out={descriptors}", "--include_imports"]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={proto_root}"]
    done = subprocess.run(
        [*command, *outputs, *described, *protos], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ProtoError(done.stderr.strip())


def _python_files(
    file: FileDescriptorProto, described: FileDescriptorSet, scratch: Path
) -> Iterator[tuple[PurePosixPath, bytes]]:
    first_line = mark(f"proto/{file.name}") + "\n"
    stem = file.name.removesuffix(".proto")
    names = [f"{stem}_pb2.py", f"{stem}_pb2.pyi"]
    if file.service:
        names.append(f"{stem}_pb2_grpc.py")
        yield PACKAGE_ROOT / f"{stem}_pb2_grpc.pyi", (first_line + service_types(file, described)).encode()
    for name in names:
        yield PACKAGE_ROOT / name, first_line.encode() + (scratch / name).read_bytes()


def _package_docstring() -> bytes:
    return (
        f'{mark("proto/tenure/v1")}\n"""The messages and service stubs of the API, version 1."""\n'.encode()
    )
