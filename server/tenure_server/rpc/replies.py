"""How much goes into one reply."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from google.protobuf.message import Message

from tenure_server.rpc.limits import REPLY_BYTES

Value = TypeVar("Value")
Part = TypeVar("Part", bound=Message)

FRAMING = 6
"""At most as many bytes stand before each part of a repeated field."""


def fill(
    parts: RepeatedCompositeFieldContainer[Part],
    values: Iterable[Value],
    write: Callable[[Part, Value], None],
    room: int = REPLY_BYTES,
) -> int:
    """Write the first values into a repeated field, in place, and return how many there was room for."""
    for value in values:
        part = parts.add()
        write(part, value)
        room -= part.ByteSize() + FRAMING
        if room < 0:
            del parts[-1]
            break
    return len(parts)
