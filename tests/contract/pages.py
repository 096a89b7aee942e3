"""The pages of the manual, and what is in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<title>.*?) *$", re.MULTILINE)


class Block(NamedTuple):
    """Code in a page."""

    page: Path
    language: str
    text: str


def pages() -> list[Path]:
    """Everything that people read."""
    return [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def shown(path: Path) -> str:
    """The path as a test's name has it."""
    return path.relative_to(ROOT).as_posix()


def read(page: Path) -> str:
    return page.read_text("utf-8")


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return _FENCE.sub("", read(page))


def blocks(page: Path, language: str) -> list[Block]:
    """The blocks of code in one language, in order."""
    found = _FENCE.finditer(read(page))
    return [Block(page, match["language"], match["text"]) for match in found if match["language"] == language]


def links(page: Path) -> Iterator[str]:
    """The targets of links to other places in the repository."""
    for match in _LINK.finditer(prose(page)):
        if not match["target"].startswith(("http://", "https://", "mailto:")):
            yield match["target"]


def headings(page: Path) -> list[str]:
    return [match["title"] for match in _HEADING.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    """What a link into the page may name after the #, as code hosts make it."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings(page)}


def between(page: Path, name: str) -> str:
    """What stands between <!-- name --> and <!-- /name -->, or before the end."""
    _, _, rest = read(page).partition(f"<!-- {name} -->\n")
    assert rest, f"{shown(page)} has no <!-- {name} -->"
    return rest.partition(f"<!-- /{name} -->")[0]
