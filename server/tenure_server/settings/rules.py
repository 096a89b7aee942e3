"""What the text of a setting may be, and the value it stands for."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m|h|d)")
_UNITS = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}
_LONGEST = timedelta(days=36_500)
_SWITCH = {
    "on": True,
    "true": True,
    "yes": True,
    "1": True,
    "off": False,
    "false": False,
    "no": False,
    "0": False,
}
_TCP = re.compile(r"(\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_DSN_PAIRS = re.compile(r"\s*[a-z_]+\s*=.*", re.DOTALL)
_ACCOUNT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}\$?")


class SettingsError(Exception):
    """A setting breaks its rule; the text is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`words` completes the sentence "It must be …"; `read` raises ValueError for other text."""

    words: str
    read: Callable[[str], Any]


def whole_number(lowest: int, highest: int) -> Rule:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not lowest <= int(text) <= highest:
            raise ValueError
        return int(text)

    return Rule(f"a whole number from {lowest:,} to {highest:,}", read)


def duration(lowest: timedelta, highest: timedelta, *, zero: bool = False) -> Rule:
    """A length of time like 500ms, 30s, 5m, 2h or 7d; with `zero`, 0 is allowed below `lowest`."""

    def read(text: str) -> timedelta:
        length = read_duration(text)
        if not (lowest <= length <= highest or (zero and not length)):
            raise ValueError
        return length

    or_zero = "0 or " if zero else ""
    return Rule(f"{or_zero}a duration from {show_duration(lowest)} to {show_duration(highest)}", read)


def read_duration(text: str) -> timedelta:
    """Return the length of time; raises ValueError when the text is not a number with a unit, or 0."""
    if text == "0":
        return timedelta(0)
    match = _DURATION.fullmatch(text)
    # Compared as numbers first: a timedelta of that many days could not be made.
    if match is None or int(match[1]) > _LONGEST // _UNITS[match[2]]:
        raise ValueError(f"{text!r} is not a duration; write 500ms, 30s, 5m, 2h or 7d")
    return int(match[1]) * _UNITS[match[2]]


def show_duration(length: timedelta) -> str:
    """Return the shortest text that reads as this length."""
    if not length:
        return "0"
    for unit, size in _UNITS.items():
        if not length % size:
            return f"{length // size}{unit}"
    return f"{length / _UNITS['ms']:g}ms"


def choice(*words: str) -> Rule:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return Rule(f"{', '.join(words[:-1])} or {words[-1]}", read)


def _read_switch(text: str) -> bool:
    try:
        return _SWITCH[text.lower()]
    except KeyError:
        raise ValueError from None


def _read_addresses(text: str) -> tuple[str, ...]:
    addresses = tuple(part.strip() for part in text.split(","))
    if len(set(addresses)) < len(addresses) or not all(map(_is_address, addresses)):
        raise ValueError
    return addresses


def _is_address(text: str) -> bool:
    scheme, _, path = text.partition(":")
    if scheme == "unix":
        return path.startswith("/") and path.isprintable()
    match = _TCP.fullmatch(text)
    return match is not None and int(match[2]) <= 65_535


def _read_dsn(text: str) -> str:
    is_url = text.startswith(("postgresql://", "postgres://"))
    if "\0" in text or not (is_url or _DSN_PAIRS.fullmatch(text)):
        raise ValueError
    return text


def _read_path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError
    return Path(text).expanduser()


def _read_account(text: str) -> str:
    if not _ACCOUNT.fullmatch(text):
        raise ValueError
    return text


SWITCH = Rule("on or off", _read_switch)
ADDRESSES = Rule("addresses like 127.0.0.1:50051, [::1]:50051 or unix:/path, each once", _read_addresses)
DSN = Rule("a connection string like postgresql://user@host/database or host=… dbname=…", _read_dsn)
PATH = Rule("a path", _read_path)
ACCOUNT = Rule("the name of an account", _read_account)


def joined(texts: Iterable[str]) -> str:
    """Return the one text that stands for a flag given several times."""
    return ",".join(texts)
