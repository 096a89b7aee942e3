"""Cutting long lists into calls the server accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from google.protobuf.message import Message

MAX_ITEMS = 500
MAX_BYTES = 3_500_000  # leaves room for framing below the 4 MiB limit on messages

Item = TypeVar("Item", bound=Message)


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in order, at most 500 and about 3.5 MB together; a larger single one goes alone."""
    batch: list[Item] = []
    size = 0
    for item in items:
        item_size = item.ByteSize()
        if batch and (len(batch) == MAX_ITEMS or size + item_size > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item_size
    if batch:
        yield batch
