"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"`[^`]*`")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a line break at its end; cells are taken as they are."""
    lines = [_line(columns), "|" + "---|" * len(columns), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def cell(text: str, *, code: bool = False) -> str:
    """Return text that stays in its cell; with `code` it has patterns between backticks."""
    line = " ".join(text.split())
    return _CODE.sub(lambda match: match[0].replace("|", r"\|"), line) if code else line.replace("|", r"\|")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
