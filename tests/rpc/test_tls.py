"""TLS: who is served, and with which certificate."""

import asyncio
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import grpc
import grpc.aio
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from tenure_server.rpc.listen import Listen, ListenError
from tenure_server.rpc.tls import Tls
from tests.rpc.edge import rpc_server


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_authority(place: Path, name: str) -> tuple[Path, Path]:
    key, certificate = place / f"{name}.key", place / f"{name}.pem"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", key, "-out", certificate)  # fmt: skip
    return key, certificate


def make_certificate(place: Path, name: str, authority: tuple[Path, Path]) -> tuple[Path, Path]:
    key, request, certificate = (place / f"{name}.{end}" for end in ("key", "csr", "pem"))
    names = place / f"{name}.ext"
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", f"/CN={name}", "-keyout", key, "-out", request)  # fmt: skip
    openssl("x509", "-req", "-in", request, "-CA", authority[1], "-CAkey", authority[0], "-CAcreateserial",
            "-days", "2", "-extfile", names, "-out", certificate)  # fmt: skip
    return key, certificate


pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def authority(place: Path) -> tuple[Path, Path]:
    return make_authority(place, "authority")


@pytest.fixture
def tls(place: Path, authority: tuple[Path, Path]) -> Tls:
    key, certificate = make_certificate(place, "server", authority)
    return Tls(certificate, key)


async def check(address: str, credentials: grpc.ChannelCredentials) -> HealthCheckResponse:
    async with grpc.aio.secure_channel(address, credentials) as channel:
        return await HealthStub(channel).Check(HealthCheckRequest(), timeout=5)


async def test_a_server_with_a_certificate_speaks_tls_only(tls: Tls, authority: tuple[Path, Path]) -> None:
    server = rpc_server([Listen("127.0.0.1")], tls=tls)
    (address,) = await server.start()

    assert await check(address, grpc.ssl_channel_credentials(authority[1].read_bytes()))
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await HealthStub(channel).Check(HealthCheckRequest(), timeout=5)
    await server.drain(0)


async def test_with_a_client_authority_only_its_clients_are_served(
    place: Path, tls: Tls, authority: tuple[Path, Path]
) -> None:
    roots = authority[1].read_bytes()
    server = rpc_server([Listen("127.0.0.1")], tls=Tls(tls.certificate, tls.key, authority[1]))
    (address,) = await server.start()
    mine = make_certificate(place, "client", authority)
    foreign = make_certificate(place, "stranger", make_authority(place, "other"))

    assert await check(address, grpc.ssl_channel_credentials(roots, *(file.read_bytes() for file in mine)))
    for pair in ((), foreign):
        credentials = grpc.ssl_channel_credentials(roots, *(file.read_bytes() for file in pair))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await check(address, credentials)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    await server.drain(0)


def serial_number(address: str, roots: Path) -> str:
    """Of the certificate that is shown there."""
    context = ssl.create_default_context(cafile=str(roots))
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), 5) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secure,
    ):
        shown = secure.getpeercert()
    assert shown is not None
    return str(shown["serialNumber"])


async def test_a_new_certificate_is_shown_without_a_restart(
    place: Path, tls: Tls, authority: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    server = rpc_server([Listen("127.0.0.1")], tls=tls)
    (address,) = await server.start()
    first = await asyncio.to_thread(serial_number, address, authority[1])
    key, certificate = make_certificate(place, "renewed", authority)

    tls.certificate.write_bytes(certificate.read_bytes())
    between = await asyncio.to_thread(serial_number, address, authority[1])
    tls.key.write_bytes(key.read_bytes())
    last = await asyncio.to_thread(serial_number, address, authority[1])

    assert first == between != last
    assert "the changed TLS files are not taken over" in caplog.text
    await server.drain(0)


@pytest.mark.parametrize(
    "damage,told",
    [
        (lambda tls: tls.key.unlink(), "cannot be read: No such file or directory"),
        (lambda tls: tls.certificate.write_text("nothing"), "the TLS files cannot be used"),
        (lambda tls: make_authority(tls.key.parent, "server"), "the TLS files cannot be used"),
    ],
    ids=["no key", "no certificate", "another key"],
)
async def test_files_that_cannot_be_used_stop_the_start(
    tls: Tls, damage: Callable[[Tls], object], told: str, tmp_path: Path
) -> None:
    other = Tls(tmp_path / "copy.pem", tls.key)
    other.certificate.write_bytes(tls.certificate.read_bytes())
    damage(other)

    with pytest.raises(ListenError, match=told) as refused:
        await rpc_server([Listen("127.0.0.1")], tls=other).start()
    assert str(refused.value).count("\n") == 0


async def test_a_key_with_a_password_is_refused_rather_than_asked_for(tls: Tls, tmp_path: Path) -> None:
    locked = tmp_path / "locked.key"
    openssl("ec", "-in", tls.key, "-aes256", "-passout", "pass:x", "-out", locked)

    with pytest.raises(ListenError, match="password"):
        Tls(tls.certificate, locked).credentials()
