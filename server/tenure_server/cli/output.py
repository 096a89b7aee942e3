"""Tables for people and JSON for programs."""

import json
import sys
from collections.abc import Sequence

import click

from tenure_server.cli.json_form import json_form
from tenure_server.cli.text import printable


def print_json(value: object) -> None:
    """Print one document; characters beyond ASCII are escaped, so no terminal is steered by them."""
    click.echo(json.dumps(json_form(value), indent=2))


def print_json_line(value: object) -> None:
    """Print one document of a stream."""
    click.echo(json.dumps(json_form(value), separators=(",", ":")))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; one without colours and lines where nobody looks at a terminal."""
    safe = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich(columns, safe)
        return
    texts = [list(columns), *safe]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_rich(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
