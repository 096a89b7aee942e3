"""Array parameters in PostgreSQL's binary form, packed at once: the driver would ask item by item."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import ClassVar, TypeVar
from uuid import UUID

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD = Struct(">iiiii")  # dimensions, flags, type of the items, how many, number of the first
_NO_ITEMS = Struct(">iii")
_SIZE = Struct(">i").pack
_INTEGER = Struct(">ii").pack
_BIGINT = Struct(">iq").pack
_UUID_SIZE = _SIZE(16)
_NULL = _SIZE(-1)
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Array(bytes):
    """A packed array; its class says of what."""

    item_oid: ClassVar[int]
    oid: ClassVar[int]


Kind = TypeVar("Kind", bound=Array)


class Uuids(Array):
    item_oid, oid = 2950, 2951


class Texts(Array):
    item_oid, oid = 25, 1009


class Byteas(Array):
    item_oid, oid = 17, 1001


class Integers(Array):
    item_oid, oid = 23, 1007


class Bigints(Array):
    item_oid, oid = 20, 1016


class Times(Array):
    item_oid, oid = 1184, 1185


def uuids(values: Iterable[UUID]) -> Uuids:
    """A uuid[]."""
    return _packed(Uuids, [_UUID_SIZE + value.bytes for value in values])


def texts(values: Iterable[str | None]) -> Texts:
    """A text[]; texts that come again are packed once."""
    known: dict[str | None, bytes] = {None: _NULL}
    return _packed(Texts, [known.get(value) or known.setdefault(value, _text(value)) for value in values])


def byteas(values: Iterable[bytes | None]) -> Byteas:
    """A bytea[]."""
    return _packed(Byteas, [_NULL if value is None else _SIZE(len(value)) + value for value in values])


def integers(values: Iterable[int]) -> Integers:
    """An integer[]."""
    return _packed(Integers, [_INTEGER(4, value) for value in values])


def bigints(values: Iterable[int | None]) -> Bigints:
    """A bigint[]."""
    return _packed(Bigints, [_NULL if value is None else _BIGINT(8, value) for value in values])


def times(values: Iterable[datetime | None]) -> Times:
    """A timestamptz[]."""
    return _packed(Times, [_NULL if value is None else _time(value) for value in values])


def _text(value: str | None) -> bytes:
    content = (value or "").encode()
    return _SIZE(len(content)) + content


def _time(value: datetime) -> bytes:
    return _BIGINT(8, (value - _EPOCH) // _MICROSECOND)


def _packed(kind: type[Kind], items: Sequence[bytes]) -> Kind:
    if not items:
        return kind(_NO_ITEMS.pack(0, 0, kind.item_oid))
    return kind(_HEAD.pack(1, 0, kind.item_oid, len(items), 1) + b"".join(items))


class _ArrayDumper(Dumper):
    """Sends an array as it is."""

    format = Format.BINARY

    def dump(self, obj: Array) -> bytes:
        return obj


for _kind in (Uuids, Texts, Byteas, Integers, Bigints, Times):
    psycopg.adapters.register_dumper(
        _kind, type(f"{_kind.__name__}Dumper", (_ArrayDumper,), {"oid": _kind.oid})
    )
