"""Packed arrays mean to PostgreSQL what the driver's own would."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenure_server.store.arrays import Array, bigints, byteas, integers, texts, times, uuids

LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
FIRST = datetime(1, 1, 1, tzinfo=UTC)

ARRAYS: list[tuple[Array, list[Any]]] = [
    (uuids([UUID(int=0), UUID(int=2**128 - 1)]), [UUID(int=0), UUID(int=2**128 - 1)]),
    (texts(["", 'a,b"{}\\', None, "été", ""]), ["", 'a,b"{}\\', None, "été", ""]),
    (byteas([b"", b"\x00\xff", None]), [b"", b"\x00\xff", None]),
    (integers([0, -(2**31), 2**31 - 1]), [0, -(2**31), 2**31 - 1]),
    (bigints([0, -(2**63), 2**63 - 1, None]), [0, -(2**63), 2**63 - 1, None]),
    (times([FIRST, None, LAST]), [FIRST, None, LAST]),
]


@pytest.mark.parametrize("packed, values", ARRAYS, ids=lambda value: type(value).__name__)
async def test_an_array_arrives_as_it_was_packed(
    outside: psycopg.AsyncConnection[Any], packed: Array, values: list[Any]
) -> None:
    await outside.execute("SET TimeZone = 'UTC'")

    cursor = await outside.execute("SELECT %s", [packed])

    assert await cursor.fetchone() == (values,)


@pytest.mark.parametrize("pack", [uuids, texts, byteas, integers, bigints, times])
async def test_an_array_may_be_empty(outside: psycopg.AsyncConnection[Any], pack: Any) -> None:
    cursor = await outside.execute("SELECT cardinality(%s), %s", [pack([]), pack([])])

    assert await cursor.fetchone() == (0, [])
