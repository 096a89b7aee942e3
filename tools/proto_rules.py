"""The rules of fields in words, for people who write clients by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from buf.validate import validate_pb2
from tools.proto_source import Rules

_UNITS = {86_400: "d", 3600: "h", 60: "min", 1: "s"}
_LAST_TIME = 253_402_300_799  # the end of the year 9999

_CHARACTERS: Mapping[str, str] = {
    r"^[^\x00]*$": "no NUL",
    r"^[^\x00-\x1f]*$": "no control characters",
    "^[!-~]*$": "visible ASCII",
    "^[ -~]*$": "printable ASCII",
    "^[a-z0-9_]+$": "a-z, 0-9 and `_`",
    "^[a-z0-9_-]*$": "a-z, 0-9, `_` and `-`",
    "^[A-Za-z0-9_.:/-]*$": "letters, digits and `_.:/-`",
    "^[A-Za-z0-9_.:/-]+$": "letters, digits and `_.:/-`",
}

_WORDS: Mapping[str, Callable[[object], str]] = {
    "min_len": lambda value: "not empty" if value == 1 else f"at least {value} long",
    "max_len": lambda value: f"at most {_number(value)} long",
    "max_bytes": lambda value: f"at most {_number(value)} bytes",
    "pattern": lambda value: _CHARACTERS.get(str(value)) or f"matches `{value}`",
    "uuid": lambda value: "a UUID",
    "gte": lambda value: f"≥ {_number(value)}",
    "lte": lambda value: f"≤ {_number(value)}",
    "min_items": lambda value: f"at least {value} item" if value == 1 else f"at least {value} items",
    "max_items": lambda value: f"at most {_number(value)} items",
    "max_pairs": lambda value: f"at most {value} pairs",
    "unique": lambda value: "each once",
    "defined_only": lambda value: "a known value",
    "not_in": lambda value: "not unspecified",
}


def rules_in_words(rules: Rules) -> str:
    """Return what a value must be, empty where anything goes; a rule without words raises KeyError."""
    return "; ".join(_phrases(rules))


def _phrases(rules: Rules) -> Iterator[str]:
    if rules.required:
        yield "required"
    kind = rules.WhichOneof("type")
    if kind is not None:
        yield from _typed(getattr(rules, kind))
    if rules.ignore == validate_pb2.IGNORE_IF_ZERO_VALUE:
        yield "may be left out"


def _typed(rules: Message) -> Iterator[str]:
    for descriptor, value in rules.ListFields():
        if descriptor.name in ("items", "keys", "values"):
            inner = rules_in_words(value)
            if inner:
                yield f"{_PARTS[descriptor.name]}: {inner}"
        elif (descriptor.name, value) != ("lte", Timestamp(seconds=_LAST_TIME)):
            yield _WORDS[descriptor.name](value)
        else:
            yield "not after the year 9999"


_PARTS = {"items": "each", "keys": "keys", "values": "values"}


def _number(value: object) -> str:
    if isinstance(value, Duration):
        return _length(value)
    if isinstance(value, Timestamp):
        return "1970-01-01" if not value.seconds else str(value.seconds)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _length(value: Duration) -> str:
    if value.nanos:
        return f"{value.seconds * 1000 + value.nanos // 1_000_000} ms"
    for size, unit in _UNITS.items():
        if value.seconds and not value.seconds % size:
            return f"{value.seconds // size:,} {unit}"
    return "0"
