"""Asking a server whether it serves, without the health package, which the client does not need."""

from __future__ import annotations

import grpc

from tenure.channel import endpoint

_CHECK = "/grpc.health.v1.Health/Check"
_SERVING = b"\x08\x01"  # field 1, status, is 1
_ANSWER_SECONDS = 2.0


def is_serving(target: str) -> bool:
    """Say whether the server answers and calls itself SERVING."""
    where = endpoint(target)
    with grpc.insecure_channel(where.address, options=where.options(own_connection=True)) as channel:
        check = channel.unary_unary(_CHECK, request_serializer=bytes, response_deserializer=bytes)
        try:
            return check(b"", timeout=_ANSWER_SECONDS) == _SERVING
        except grpc.RpcError:
            return False
