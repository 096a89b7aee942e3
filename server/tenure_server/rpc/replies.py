"""How much goes into one reply."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from google.protobuf.message import Message

from tenure_server.rpc.limits import REPLY_BYTES

Value = TypeVar("Value")
Part = TypeVar("Part", bound=Message)

FRAMING = 6
"""At most as many bytes stand before each part of a repeated field."""


def fitting(values: Sequence[Value], convert: Callable[[Value], Part], room: int = REPLY_BYTES) -> list[Part]:
    """The parts made of the first values, as many as a reply has room for."""
    parts: list[Part] = []
    for value in values:
        part = convert(value)
        room -= part.ByteSize() + FRAMING
        if room < 0:
            break
        parts.append(part)
    return parts
