"""The manual says what there is, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import psycopg
import pytest

import tenure
from tenure.v1 import (
    admin_service_pb2,
    errors_pb2,
    job_service_pb2,
    lease_service_pb2,
    queue_service_pb2,
)
from tenure_server.cli.root import tenure_command
from tenure_server.domain.lease_rules import EmptyReason
from tenure_server.domain.lifecycle_document import KEYS
from tenure_server.settings import SETTINGS
from tests.contract.pages import (
    DOCS,
    README,
    ROOT,
    Block,
    anchors,
    between,
    blocks,
    headings,
    links,
    pages,
    prose,
    read,
    shown,
)

SERVICES = (admin_service_pb2, job_service_pb2, lease_service_pb2, queue_service_pb2)
METHODS = [
    method.name
    for module in SERVICES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]
REASONS = [name.removeprefix("ERROR_REASON_") for name in errors_pb2.ErrorReason.keys()[1:]]
ADRS = sorted(DOCS.glob("adr/0*.md"))
NO_TEST = "no test yet"
PYTHON = [block for page in pages() for block in blocks(page, "python")]


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [target for target in links(page) if not _leads_somewhere(page, target)]

    assert broken == []


def _leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    place = (page.parent / path).resolve() if path else page
    if not place.exists():
        return False
    return not anchor or (place.suffix == ".md" and anchor in anchors(place))


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=shown)
def test_every_page_of_the_manual_can_be_found_from_another_one(page: Path) -> None:
    found = {
        (other.parent / target.partition("#")[0]).resolve()
        for other in pages()
        if other != page
        for target in links(other)
    }

    assert page in found


def test_every_setting_is_documented() -> None:
    page = read(DOCS / "configuration.md")

    assert [s.name for s in SETTINGS if f"`{s.flag}`" not in page or f"`{s.variable}`" not in page] == []


def test_every_flag_named_in_the_manual_is_one() -> None:
    known = set(_flags(tenure_command)) | {"--no-" + s.flag[2:] for s in SETTINGS if s.is_switch}
    mine = [page for page in pages() if page.name != "CONTRIBUTING.md" and "adr" not in page.parts]
    named = {flag for page in mine for flag in re.findall(r"`(--[a-z-]+)[ `]", prose(page))}

    assert named - known == set()


def _flags(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _flags(below)


def test_every_call_is_documented() -> None:
    known = headings(DOCS / "api.md")

    assert [name for name in METHODS if name not in known] == []


def test_every_reason_is_documented() -> None:
    known = headings(DOCS / "errors.md")

    assert [name for name in REASONS if name not in known] == []


def test_the_commands_documented_are_those_there_are() -> None:
    told = [title for title in headings(DOCS / "cli.md") if title.startswith("tenure ")]

    assert sorted(told) == sorted(_commands(tenure_command, "tenure"))


def _commands(command: click.Command, name: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield name
        return
    for below, child in command.commands.items():
        if not child.hidden:
            yield from _commands(child, f"{name} {below}")


def test_every_reason_to_grant_nothing_is_explained() -> None:
    page = read(DOCS / "leases.md")

    assert [reason.value for reason in EmptyReason if reason.value not in page] == []


def test_every_key_of_the_lifecycle_language_is_explained() -> None:
    page = read(DOCS / "lifecycles.md")

    assert [key for key in KEYS if f"`{key}`" not in page] == []


def test_every_call_of_the_python_client_is_listed() -> None:
    page = read(DOCS / "client-python.md")
    calls = [name for name in dir(tenure.Client) if not name.startswith("_") and name != "close"]

    assert [name for name in calls if f"`{name}`" not in page] == []


def test_every_log_line_is_explained() -> None:
    page = between(DOCS / "operations.md", "log")
    told = re.findall(r"^\| `(.*?)` \| (\w+) \|", page, re.MULTILINE)

    assert sorted(told) == sorted(set(_log_lines()))


def _log_lines() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "server").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            is_log = isinstance(node.func.value, ast.Name) and node.func.value.id == "log"
            if is_log and node.args and isinstance(node.args[0], ast.Constant):
                level = "error" if node.func.attr == "exception" else node.func.attr
                yield re.sub(r"%[.0-9]*[a-z]", "…", str(node.args[0].value)), level


@pytest.mark.parametrize("number", range(1, 13))
def test_every_promise_names_tests_that_exist(number: int) -> None:
    promise = _promises()[number]
    named = re.findall(r"`(tests/[^`]*)`", promise)

    assert named or NO_TEST in promise
    assert not (named and NO_TEST in promise)
    assert [name for name in named if not _is_test(name)] == []


def test_there_are_twelve_promises() -> None:
    assert list(_promises()) == list(range(1, 13))


def _promises() -> dict[int, str]:
    parts = re.split(r"^(\d+)\. ", between(README, "promises"), flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def _is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    if not (ROOT / path).is_file():
        return False
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(node.name == function for node in functions)


@pytest.mark.parametrize("page", ADRS, ids=shown)
def test_a_decision_is_one_page_and_in_the_list(page: Path) -> None:
    text = read(page)
    title = headings(page)[0]

    assert len(text.splitlines()) <= 40
    assert title.startswith(page.name[:4])
    assert f"[{title}]({page.name})" in read(DOCS / "adr" / "README.md")
    assert all(f"**{part}" in text for part in ("Context", "Decision", "Consequences"))


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: shown(block.page))
def test_every_python_example_uses_names_there_are(block: Block) -> None:
    tree = ast.parse(block.text)
    imported = [
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    ]

    assert [name for module, name in imported if module == "tenure" and not hasattr(tenure, name)] == []


def test_the_table_of_the_leases_page_refuses_a_smaller_fence(empty_dsn: str) -> None:
    create, write = (block.text for block in blocks(DOCS / "leases.md", "sql"))
    late = write.replace(", 2, 'from bert'", ", 1, 'from anna'")

    with psycopg.connect(empty_dsn) as connection:
        connection.execute(create)
        assert connection.execute(write).fetchall() == [(2,)]
        assert connection.execute(late).fetchall() == []
        assert connection.execute(write).fetchall() == [(2,)]
        assert connection.execute("SELECT fence, body FROM report").fetchall() == [(2, "from bert")]
