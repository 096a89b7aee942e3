"""The mark that generated text files carry in their first line."""

from __future__ import annotations

from pathlib import Path

MARK = "by make generate; do not edit."

_MARKED_SUFFIXES = frozenset({".py", ".pyi", ".md"})
_LONGEST_FIRST_LINE = 400


def mark(source: str, comment: str = "#", end: str = "") -> str:
    """Return the first line of a file generated from `source`, without its newline."""
    return f"{comment} Generated from {source} {MARK}{end}"


def is_generated(path: Path) -> bool:
    """Say whether the first line of a text file carries the mark; other files never do."""
    if path.suffix not in _MARKED_SUFFIXES or not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.readline(_LONGEST_FIRST_LINE)
