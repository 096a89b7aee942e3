"""Asking a server whether it serves, without the health package, which the client does not need."""

from __future__ import annotations

from enum import StrEnum

import grpc

from tenure.channel import endpoint

_CHECK = "/grpc.health.v1.Health/Check"
_SERVING = b"\x08\x01"  # field 1, status, is 1


class Health(StrEnum):
    """What a server says of itself, or that it says nothing."""

    SERVING = "SERVING"
    NOT_SERVING = "NOT_SERVING"
    UNREACHABLE = "UNREACHABLE"


def health_of(
    target: str, *, token: str | None = None, root_certificates: bytes | None = None, timeout: float = 2.0
) -> Health:
    """Ask the server once, on a connection of its own, for at most `timeout` seconds.

    Arguments are those of Client; ValueError when the target names no server.
    """
    where = endpoint(target, token=token, root_certificates=root_certificates)
    options = where.options(own_connection=True)
    with (
        grpc.insecure_channel(where.address, options=options)
        if where.credentials is None
        else grpc.secure_channel(where.address, where.credentials, options=options)
    ) as channel:
        check = channel.unary_unary(_CHECK, request_serializer=bytes, response_deserializer=bytes)
        try:
            answer = check(b"", timeout=timeout, metadata=where.metadata)
        except grpc.RpcError:
            return Health.UNREACHABLE
    return Health.SERVING if answer == _SERVING else Health.NOT_SERVING


def is_serving(target: str) -> bool:
    """Say whether the server answers and calls itself SERVING."""
    return health_of(target) is Health.SERVING
