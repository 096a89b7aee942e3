"""docs/seeds.md, made from the markers of the tests, which are read and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tools.generated import mark
from tools.markdown import table

PAGE = PurePosixPath("docs/seeds.md")
SOURCE = "the markers in tests/"

_MARKERS = frozenset({"seed", "seed_n", "seed_b", "seed_m"})
_OFF = frozenset({"skip", "xfail"})
_PER_LINE = 12

_INTRODUCTION = """\
# Seed behaviours

Tenure replaces three systems. What they do was written down row by row before Tenure was built; each row
is one behaviour, and a test that proves it bears the row's id: `@pytest.mark.seed("N-015")`. This page
is collected from those markers. All tests named here run in `make test`; one that is skipped or expected
to fail does not count.

"""


class Group(NamedTuple):
    """The rows of one system, numbered from 1."""

    letter: str
    system: str
    lifecycles: str
    size: int

    def rows(self) -> Iterator[str]:
        return (f"{self.letter}-{number:03}" for number in range(1, self.size + 1))


GROUPS = (
    Group("N", "a database-backed migration job store", "`migration-import`, `migration-export`", 79),
    Group("B", "a durable image-job store", "`image`", 107),
    Group("M", "a database's online-job framework", "`build-publish`", 105),
)


class BadMarker(Exception):
    """A marker names a row that there is not; the text says where."""


def generate(root: Path) -> dict[PurePosixPath, bytes]:
    """Return the page; raises BadMarker."""
    found = collect(root)
    totals = [_total(group, found) for group in GROUPS]
    head = table(("group", "system", "lifecycle", "rows", "with a test", "open"), totals)
    blocks = [mark(SOURCE, "<!--", " -->") + "\n" + _INTRODUCTION + head]
    blocks += ["\n".join(_section(group, found)) for group in GROUPS]
    return {PAGE: "\n".join(blocks).encode()}


def collect(root: Path) -> Mapping[str, Sequence[str]]:
    """Return the tests of each row that has any, as path::name."""
    known = {row for group in GROUPS for row in group.rows()}
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("*.py")):
        text = path.read_text("utf-8")
        if "mark.seed" not in text:
            continue
        shown = path.relative_to(root).as_posix()
        for row, test in _marked(ast.parse(text), shown):
            if row not in known:
                raise BadMarker(f"{test} names the row {row}, which there is not")
            if test not in found.setdefault(row, []):
                found[row].append(test)
    return found


def _marked(node: ast.AST, place: str) -> Iterator[tuple[str, str]]:
    """Yield rows with the test whose marker names them, or the place around the marker."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not _is_off(child):
                yield from _marked(child, f"{place}::{child.name}")
        elif isinstance(child, ast.Call) and _mark_of(child.func) in _MARKERS:
            for row in _texts(child.args):
                yield row, place
        else:
            yield from _marked(child, place)


def _is_off(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    marks = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return any(_mark_of(mark_) in _OFF for mark_ in marks)


def _mark_of(node: ast.AST) -> str:
    """Return `x` of `pytest.mark.x`, empty for anything else."""
    is_mark = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)
    return node.attr if is_mark and node.value.attr == "mark" else ""  # type: ignore[attr-defined]


def _texts(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Starred):
            node = node.value
        if isinstance(node, ast.Constant):
            yield str(node.value)
        elif isinstance(node, ast.List | ast.Tuple):
            yield from _texts(node.elts)


def _total(group: Group, found: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    done = sum(row in found for row in group.rows())
    counts = (str(group.size), str(done), str(group.size - done))
    return f"[{group.letter}](#{group.letter.lower()})", group.system, group.lifecycles, *counts


def _section(group: Group, found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"## {group.letter}\n"
    done = [row for row in group.rows() if row in found]
    if done:
        yield table(("row", "test"), [(row, ", ".join(f"`{test}`" for test in found[row])) for row in done])
    left = [row for row in group.rows() if row not in found]
    yield "Open:\n" if left else "None is open.\n"
    for start in range(0, len(left), _PER_LINE):
        yield "    " + " ".join(left[start : start + _PER_LINE])
    if left:
        yield ""
