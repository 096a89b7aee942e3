"""Text for terminals: what others wrote must not steer them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Return the text with every character that is not plainly visible written as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def show_time(time: datetime | None) -> str:
    """Return a time in UTC to the second, empty for none."""
    return "" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"


def show_seconds(length: float) -> str:
    """Return a length of time for people, such as 250ms, 4.2s or 1:02:03."""
    if length < 1:
        return f"{length * 1000:.0f}ms"
    return f"{length:.1f}s" if length < 60 else str(timedelta(seconds=round(length)))


def show_labels(labels: Mapping[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in sorted(labels.items()))
