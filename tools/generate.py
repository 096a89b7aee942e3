"""Writes the generated files of the repository, or with --check proves that they are current."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from tools import (
    api_page,
    blocking_client,
    configuration_page,
    errors_page,
    lifecycle_pages,
    proto_stubs,
    seeds_page,
)
from tools.generated import MARK, is_generated

ROOT = Path(__file__).resolve().parent.parent

Files = Mapping[PurePosixPath, bytes]
Generator = Callable[[Path], Files]

# Each takes the repository's root and returns the files it makes, by their path below the root.
# A later generator does not see what an earlier one returned.
GENERATORS: Sequence[Generator] = (
    proto_stubs.generate,
    blocking_client.generate,
    configuration_page.generate,
    api_page.generate,
    errors_page.generate,
    lifecycle_pages.generate,
    seeds_page.generate,
)

# Where a generated file that no generator makes any more is looked for.
SEARCHED = ("client", "docs", "server")


def generate_all(root: Path) -> dict[PurePosixPath, bytes]:
    """Return all generated files; two generators that claim one path are refused."""
    files: dict[PurePosixPath, bytes] = {}
    for generator in GENERATORS:
        for path, content in generator(root).items():
            if path in files:
                raise ValueError(f"two generators write {path}")
            files[path] = content
    return files


def stale_files(root: Path, current: Files) -> list[PurePosixPath]:
    """Return files that say they are generated and that no generator makes."""
    found = (path for folder in SEARCHED for path in sorted((root / folder).rglob("*")))
    relative = (PurePosixPath(path.relative_to(root).as_posix()) for path in found if is_generated(path))
    return [path for path in relative if path not in current]


def write(root: Path, files: Files) -> int:
    for path in stale_files(root, files):
        (root / path).unlink()
        print(f"removed {path}")
    for path, content in files.items():
        target = root / path
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        print(f"wrote {path}")
    return 0


def check(root: Path, files: Files) -> int:
    problems = [f"{path}: {MARK}, but nothing makes it" for path in stale_files(root, files)]
    for path, content in files.items():
        target = root / path
        if not target.is_file():
            problems.append(f"{path}: missing")
        elif target.read_bytes() != content:
            problems.append(f"{path}: not what its source says")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(
            "Generated files are not current; run `make generate` and commit what it writes.", file=sys.stderr
        )
        return 1
    print(f"{len(files)} generated files are current")
    return 0


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--check"]):
        print("usage: python -m tools.generate [--check]", file=sys.stderr)
        return 2
    try:
        files = generate_all(ROOT)
    except (proto_stubs.ProtoError, seeds_page.BadMarker) as error:
        print(error, file=sys.stderr)
        return 1
    return check(ROOT, files) if arguments else write(ROOT, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
