"""The blocking client, made from the asyncio one by taking out what waits."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from tools.generated import mark

SOURCE = PurePosixPath("client/python/tenure/async_client")
TARGET = PurePosixPath("client/python/tenure/client")

_DROPPED = frozenset({"async", "await"})
_RENAMED: Mapping[str, str] = {
    "AsyncIterator": "Iterator",
    "AsyncGenerator": "Generator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "async_client": "client",
    "asyncio": "time",
}
_OWN_CLASS = re.compile(r"Async(?=[A-Z])")
_DOCSTRINGS: Mapping[str, str] = {
    "The client for asyncio; the blocking one in tenure.client is generated from it.": (
        "The blocking client; it has the calls of tenure.async_client and may be shared by threads."
    ),
}


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the package tenure.client."""
    files: dict[PurePosixPath, bytes] = {}
    for path in sorted((root / SOURCE).glob("*.py")):
        target = TARGET / path.name
        text = mark((SOURCE / path.name).as_posix()) + "\n" + blocking(path.read_text(encoding="utf-8"))
        files[target] = _formatted(root, target, text).encode()
    return files


def blocking(source: str) -> str:
    """Return the source of a module that does the same and blocks."""
    lines = source.splitlines(keepends=True)
    for (row, start), end, replacement in reversed(list(_edits(source))):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + replacement + line[end:]
    text = "".join(lines).replace("import grpc.aio\n", "").replace("grpc.aio.", "grpc.")
    for asynchronous, blocked in _DOCSTRINGS.items():
        text = text.replace(asynchronous, blocked)
    return text


def _edits(source: str) -> Iterator[tuple[tuple[int, int], int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string in _DROPPED:
            yield token.start, token.end[1] + 1, ""  # with the blank that follows
        elif token.type == tokenize.NAME:
            yield token.start, token.end[1], _renamed(token.string)
        elif token.type == tokenize.STRING and token.string[1:-1].isidentifier():  # as in __all__
            yield token.start, token.end[1], token.string[0] + _renamed(token.string[1:-1]) + token.string[-1]


def _renamed(name: str) -> str:
    return _RENAMED.get(name) or _OWN_CLASS.sub("", name, count=1)


def _formatted(root: Path, path: PurePosixPath, text: str) -> str:
    # Named first-party, or ruff would ask the disk, where the package may not be yet.
    ours = ("--config", 'lint.isort.known-first-party=["tenure"]')
    rules = ("--select", "I,UP028", "--fix", "--unsafe-fixes", "--exit-zero")
    text = _ruff(root, path, text, "check", "--quiet", *ours, *rules)
    return _ruff(root, path, text, "format", "--quiet")


def _ruff(root: Path, path: PurePosixPath, text: str, *command: str) -> str:
    arguments = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
    return subprocess.run(
        arguments, input=text, cwd=root, capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout
