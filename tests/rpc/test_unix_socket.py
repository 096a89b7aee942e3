"""A Unix socket takes nobody's place, and leaves nothing behind."""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc.aio
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from tenure_server.rpc.listen import Listen, ListenError
from tests.rpc.edge import rpc_server


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with a short path."""
    with TemporaryDirectory(prefix="t-", dir="/tmp") as path:
        yield Path(path)


@pytest.fixture
def path(place: Path) -> Path:
    return place / "tenure.sock"


async def answers(path: Path) -> bool:
    async with grpc.aio.insecure_channel(f"unix:{path}") as channel:
        reply = await HealthStub(channel).Check(HealthCheckRequest(), timeout=10)
    return reply is not None


async def test_a_socket_serves_its_owner_and_group_and_goes_with_the_server(path: Path) -> None:
    server = rpc_server([Listen(path=path), Listen("127.0.0.1")])
    bound = await server.start()

    assert bound[0] == f"unix:{path}"
    assert stat.S_IMODE(path.lstat().st_mode) == 0o660
    assert os.listdir(path.parent) == [path.name]
    assert await answers(path)
    await server.drain(0)
    assert os.listdir(path.parent) == []


async def test_the_mode_does_not_depend_on_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        server = rpc_server([Listen(path=path)])
        await server.start()
        assert stat.S_IMODE(path.lstat().st_mode) == 0o660
        assert os.umask(0) == 0
        await server.drain(0)
    finally:
        os.umask(before)


async def test_a_stale_socket_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    server = rpc_server([Listen(path=path)])
    await server.start()

    assert await answers(path)
    await server.drain(0)


async def test_a_live_socket_is_left_alone(path: Path) -> None:
    first = rpc_server([Listen(path=path)])
    await first.start()

    with pytest.raises(ListenError, match="another process listens there"):
        await rpc_server([Listen(path=path)]).start()
    assert await answers(path)
    await first.drain(0)


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link", "link to a file"])
async def test_what_is_not_a_socket_is_never_touched(path: Path, kind: str) -> None:
    match kind:
        case "file":
            path.write_text("precious")
        case "directory":
            path.mkdir()
        case "dangling link":
            path.symlink_to(path.parent / "nowhere")
        case "link to a file":
            (path.parent / "file").write_text("precious")
            path.symlink_to(path.parent / "file")
    before = path.lstat().st_ino

    with pytest.raises(ListenError, match="not a socket"):
        await rpc_server([Listen(path=path)]).start()
    assert path.lstat().st_ino == before


async def test_a_socket_that_is_another_servers_by_now_is_left_alone(path: Path) -> None:
    first = rpc_server([Listen(path=path)])
    await first.start()
    path.unlink()
    second = rpc_server([Listen(path=path)])
    await second.start()

    await first.drain(0)

    assert await answers(path)
    await second.drain(0)


async def test_a_start_that_fails_leaves_no_socket(path: Path) -> None:
    with pytest.raises(ListenError):
        await rpc_server([Listen(path=path), Listen(path=path.parent / "no" / "s")]).start()

    assert os.listdir(path.parent) == []


async def test_the_directory_must_be_there(place: Path) -> None:
    with pytest.raises(ListenError, match="no such file or directory"):
        await rpc_server([Listen(path=place / "no" / "s")]).start()


async def test_the_directory_must_not_be_open_to_all(place: Path) -> None:
    place.chmod(0o777)
    with pytest.raises(ListenError, match="anyone may replace files"):
        await rpc_server([Listen(path=place / "s")]).start()

    place.chmod(0o1777)
    server = rpc_server([Listen(path=place / "s")])
    await server.start()
    await server.drain(0)


async def test_a_path_no_socket_can_have_is_refused(place: Path) -> None:
    with pytest.raises(ListenError, match="at most 107 bytes"):
        await rpc_server([Listen(path=place / ("s" * 120))]).start()
