"""Where a server is, and how to speak to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from urllib.parse import urlsplit

import grpc

_MESSAGE_BYTES = 4 * 1024 * 1024
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address in gRPC's spelling, the credentials of the channel and the metadata of every call."""

    address: str
    credentials: grpc.ChannelCredentials | None = field(repr=False)
    metadata: tuple[tuple[str, str], ...] = field(repr=False)

    def options(self, *, own_connection: bool = False) -> list[tuple[str, str | int]]:
        """Return the channel's options; with `own_connection` it shares none with other channels."""
        return [
            *_OPTIONS,
            ("grpc.service_config", _service_config()),
            ("grpc.use_local_subchannel_pool", int(own_connection)),
        ]


def endpoint(
    target: str,
    *,
    token: str | None = None,
    root_certificates: bytes | None = None,
    credentials: grpc.ChannelCredentials | None = None,
) -> Endpoint:
    """Read a target: `host:port`, `unix:/path`, `http://…`, `https://…` or any of gRPC's own spellings.

    https, root certificates or credentials make it TLS. The token is sent with every call as it is:
    over plain TCP give none that others must not read. ValueError when the target names no server.
    """
    address, secure = _address(target)
    if credentials is None and (secure or root_certificates is not None):
        credentials = grpc.ssl_channel_credentials(root_certificates)
    metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
    return Endpoint(address, credentials, metadata)


def _address(target: str) -> tuple[str, bool]:
    scheme, separator, _ = target.partition("://")
    if not target:
        raise ValueError("the target is empty; give host:port, unix:/path or https://host")
    if not separator or scheme not in _DEFAULT_PORTS:
        return target, False
    parts = urlsplit(target)
    if not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise ValueError(f"{target} is no target; give {scheme}://host:port without a path")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or _DEFAULT_PORTS[scheme]}", scheme == "https"


@cache
def _service_config() -> str:
    return resources.files("tenure.v1").joinpath("service_config.json").read_text(encoding="utf-8")


_OPTIONS: tuple[tuple[str, str | int], ...] = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 2 * _MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.enable_retries", 1),
    # The library's first pause is a second and its longest two minutes: too long for leases.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)
