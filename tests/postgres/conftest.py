"""Data directories, servers and accounts for the tests of the embedded PostgreSQL."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenure_server.postgres import (
    Binaries,
    EmbeddedOptions,
    EmbeddedPostgres,
    PostgresError,
    binaries,
    find_binaries,
)
from tenure_server.postgres.pid_file import clear_leftovers
from tests.postgres.serving import SERVE, python_child, quick_options

Serve = Callable[[Path], "subprocess.Popen[str]"]


@pytest.fixture
def place() -> Iterator[Path]:
    """A short directory that every account can enter; servers left running below it are stopped."""
    path = _new_place()
    yield path
    _remove_place(path)


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data directory with a cluster, never started: copied where making one is not what is tested."""
    path = _new_place()
    with EmbeddedPostgres(quick_options(path / "data")):
        pass
    yield path / "data"
    _remove_place(path)


@pytest.fixture
def data_dir(place: Path, template: Path) -> Path:
    """A stopped data directory of the test's own."""
    subprocess.run(["cp", "-a", template, place / "data"], check=True)
    return place / "data"


@pytest.fixture
def options(data_dir: Path) -> EmbeddedOptions:
    return quick_options(data_dir)


@pytest.fixture
def server(options: EmbeddedOptions) -> Iterator[EmbeddedPostgres]:
    """A running server; a test may stop it itself."""
    with EmbeddedPostgres(options) as server:
        yield server


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a second Python process that serves a data directory; it ends with the test."""
    children: list[subprocess.Popen[str]] = []

    def start(data_dir: Path) -> "subprocess.Popen[str]":
        child = python_child(SERVE, str(data_dir))
        children.append(child)
        return child

    yield start
    for child in children:
        child.communicate()


@pytest.fixture
def system_binaries() -> Binaries:
    """The system's own PostgreSQL, whatever the wheel brings."""
    for directory in binaries._system_directories():
        if (directory / "initdb").exists():
            return find_binaries(directory)
    pytest.skip("the system has no PostgreSQL server package")


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can step down to another account")


@pytest.fixture
def as_ordinary_user() -> None:
    if os.geteuid() == 0:
        pytest.skip("root may do what this test wants refused")


def _new_place() -> Path:
    path = Path(tempfile.mkdtemp(prefix="tp-", dir="/tmp"))
    path.chmod(0o755)
    return path


def _remove_place(path: Path) -> None:
    for cluster in path.rglob("cluster"):
        try:
            clear_leftovers(cluster)
        except (OSError, PostgresError):
            continue
    shutil.rmtree(path, ignore_errors=True)
