"""The code as text and as trees: what it says, without running it."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tenure
import tenure_server
from tenure_server import store

SERVER = Path(tenure_server.__file__).parent
CLIENT = Path(tenure.__file__).parent
GENERATED = CLIENT / "v1"


def sources(*roots: Path) -> list[Path]:
    """The hand-written modules below these folders."""
    found = [path for root in roots for path in sorted(root.rglob("*.py"))]
    return [path for path in found if GENERATED not in path.parents]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def place(path: Path) -> str:
    """The module's path as a reader knows it."""
    root = SERVER.parent if SERVER in path.parents else CLIENT.parent
    return path.relative_to(root).as_posix()


def docstrings(module: ast.Module) -> set[int]:
    """The ids of the nodes that are documentation."""
    found = set()
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        for line in body if isinstance(body, list) else ():
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                found.add(id(line.value))
    return found


def texts(path: Path) -> Iterator[str]:
    """Every text in a module's code, documentation left out."""
    module = tree(path)
    documentation = docstrings(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an expression, empty when it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


class Statement(NamedTuple):
    """One SQL constant of the store."""

    name: str
    text: str


def statements() -> list[Statement]:
    """Every SQL constant of the store."""
    found = []
    for info in pkgutil.iter_modules(store.__path__):
        module = importlib.import_module(f"{store.__name__}.{info.name}")
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, str) and _is_sql(value):
                found.append(Statement(f"{info.name}.{name}", value))
    return found


def _is_sql(text: str) -> bool:
    return text.split()[:1] != [] and text.split()[0] in {
        "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "SET", "LISTEN", "NOTIFY", "COMMIT", "CREATE"
    }  # fmt: skip
