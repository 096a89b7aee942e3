"""Addresses to listen on, and what is said about those that cannot be."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure_server.rpc.listen import Listen, ListenError, require_free
from tests.rpc.edge import rpc_server


@pytest.mark.parametrize(
    "text,listen",
    [
        ("localhost:50051", Listen("localhost", 50051)),
        ("0.0.0.0:0", Listen("0.0.0.0", 0)),
        ("[::1]:65535", Listen("::1", 65535)),
        ("unix:/run/tenure.sock", Listen(path=Path("/run/tenure.sock"))),
        ("unix:///run/tenure.sock", Listen(path=Path("/run/tenure.sock"))),
    ],
)
def test_an_address_is_read_as_it_is_written(text: str, listen: Listen) -> None:
    assert Listen.parse(text) == listen
    assert Listen.parse(str(listen)) == listen


@pytest.mark.parametrize(
    "text",
    [
        *("", "localhost", ":50051", "::1:50051", "[::1]", "h:65536", "h:-1", "h:1x", "http://h:1", "h:1/"),
        *(" h:1", "unix:", "unix:relative", "unix://host/path", "unix:/a\0b", "unix-abstract:x"),
    ],
)
def test_what_is_no_address_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ListenError) as refused:
        Listen.parse(text)
    assert str(refused.value).count("\n") == 0
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("text", ["localhost:1", "127.0.0.1:1", "127.3.2.1:1", "[::1]:1", "unix:/x"])
def test_local_addresses_need_no_tls(text: str) -> None:
    Listen.parse(text).require_safe(tls=False, insecure_ok=False)


@pytest.mark.parametrize("text", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.com:1", "localhost.x:1"])
def test_others_need_tls_or_a_word_that_plain_text_is_meant(text: str) -> None:
    listen = Listen.parse(text)
    listen.require_safe(tls=True, insecure_ok=False)
    listen.require_safe(tls=False, insecure_ok=True)

    with pytest.raises(ListenError, match=r"give a TLS key and certificate"):
        listen.require_safe(tls=False, insecure_ok=False)


async def test_a_server_does_not_start_in_plain_text_where_strangers_can_reach_it() -> None:
    with pytest.raises(ListenError):
        await rpc_server([Listen("127.0.0.1"), Listen("0.0.0.0")]).start()


@pytest.fixture
def taken() -> Iterator[Listen]:
    """A port that another process might have."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield Listen("127.0.0.1", other.getsockname()[1])


async def test_a_port_that_is_taken_is_named(taken: Listen) -> None:
    with pytest.raises(ListenError, match=f"cannot listen on {taken}: address already in use"):
        await rpc_server([Listen("127.0.0.1"), taken]).start()


async def test_a_name_of_which_one_address_is_taken_is_not_free(taken: Listen) -> None:
    with pytest.raises(ListenError, match="address already in use"):
        await require_free(Listen("localhost", taken.port))


async def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(ListenError, match=r"cannot listen on 192\.0\.2\.1:1: cannot assign"):
        await rpc_server([Listen("192.0.2.1", 1)], insecure_ok=True).start()


async def test_a_name_nobody_knows_is_named() -> None:
    with pytest.raises(ListenError, match=r"cannot listen on nowhere\.invalid:1: "):
        await require_free(Listen("nowhere.invalid", 1))
