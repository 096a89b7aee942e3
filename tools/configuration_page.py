"""docs/configuration.md, made from the table of settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tenure_server.settings import SETTINGS, Setting
from tools.generated import mark

PAGE = PurePosixPath("docs/configuration.md")
SOURCE = "server/tenure_server/settings/table.py"

_INTRODUCTION = """\
# Configuration

A server is configured by flags and by environment variables, and by nothing else. A flag goes before
its variable; an empty variable counts as none. Everything is read once, when the server starts: a value
that breaks its rule stops the start with one sentence on stderr and exit code 2.

`tenure check` prints the values in effect, where each comes from, and never a password; with a DSN it
also tries the database. The same flags and variables serve `tenure serve`, `tenure migrate` and
`tenure check`.

Switches are flags of their own (`--notify`, `--no-notify`); their variables take `on` and `off`.
Durations are written like `500ms`, `30s`, `5m`, `2h` or `7d`. `--listen` may be given several times;
`TENURE_LISTEN` takes a list with commas.

| flag | variable | default | meaning | rule |
|---|---|---|---|---|
"""

_CLIENT = """
## Commands that talk to a server

| flag | variable | default | meaning |
|---|---|---|---|
| `--server` | `TENURE_SERVER` | `localhost:50051` | `host:port`, `unix:/path` or `https://host:port`. |
| `--token-file` | `TENURE_TOKEN_FILE` | none | A file that holds the bearer token to send. |
| `--ca-file` | `TENURE_CA_FILE` | the system's | Authorities to trust for TLS, PEM. |
| `--json` | | off | Print one JSON document, or one per line for streams. |
"""


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the page; `root` is not looked at, the table is imported."""
    first_line = mark(SOURCE, "<!--", " -->")
    rows = "\n".join(map(_row, SETTINGS))
    return {PAGE: f"{first_line}\n{_INTRODUCTION}{rows}\n{_CLIENT}".encode()}


def _row(setting: Setting) -> str:
    return "| " + " | ".join(_cells(setting)) + " |"


def _cells(setting: Setting) -> Iterator[str]:
    flag = setting.flag
    yield f"`{flag}`, `--no-{flag[2:]}`" if setting.is_switch else f"`{flag}`"
    yield f"`{setting.variable}`"
    yield f"`{setting.default}`" if setting.default else setting.unset
    yield setting.meaning
    yield setting.rule.words
