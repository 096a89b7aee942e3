"""Where it is measured: a durable PostgreSQL, a real server process, and what machine that is."""

import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.echo import echo_server
from tenure.testing.server import serve
from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres

SHARED_BUFFERS_MB = 512
PAGE = bytes(8192)
ASKED_OF_POSTGRES = ("server_version", "fsync", "synchronous_commit", "shared_buffers", "max_wal_size")


class Place(NamedTuple):
    """The database, the servers on it, and what is known of the machine."""

    dsn: str
    target: str
    echo_target: str
    server_pid: int
    postgres_pid: int
    facts: dict[str, str]


@contextmanager
def prepared_place(directory: Path | None) -> Iterator[Place]:
    """Start everything in a new folder below `directory`, and remove it at the end."""
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="tenure-bench-", dir=directory)))
        folder.chmod(0o755)  # as root, the account PostgreSQL steps down to must get through
        disk = _write_milliseconds(folder)
        options = EmbeddedOptions(folder / "postgres", shared_buffers_mb=SHARED_BUFFERS_MB)
        postgres = undo.enter_context(EmbeddedPostgres(options))
        server = undo.enter_context(serve(postgres.dsn))
        echo_target = f"unix:{folder / 'echo.sock'}"
        undo.enter_context(echo_server(echo_target))
        yield Place(
            postgres.dsn,
            server.target,
            echo_target,
            server.process.pid,
            postgres.pid or 0,
            _facts(postgres.dsn, disk),
        )


def cpu_seconds(pid: int) -> float | None:
    """The processor time of a process and its children, ended ones too; None where nothing tells it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        own = _ticks(pid, ended_children=True)
    except OSError:
        return None
    return (own + sum(_ticks_if_alive(int(child)) for child in children)) / os.sysconf("SC_CLK_TCK")


def _ticks_if_alive(pid: int) -> int:
    try:
        return _ticks(pid)
    except OSError:
        return 0  # it ended just now


def _ticks(pid: int, *, ended_children: bool = False) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return sum(map(int, stat.rpartition(")")[2].split()[11 : 15 if ended_children else 13]))


def _write_milliseconds(folder: Path) -> float:
    """How long the disk takes to have one page for good."""
    with (folder / "page").open("wb") as file:
        times = []
        for _ in range(50):
            began = time.perf_counter()
            file.write(PAGE)
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def _facts(dsn: str, disk: float) -> dict[str, str]:
    with psycopg.connect(dsn) as connection:
        settings = {
            name: str(connection.execute("SELECT current_setting(%s)", [name]).fetchone()[0])  # type: ignore[index]
            for name in ASKED_OF_POSTGRES
        }
    packages = {name: version(name) for name in ("tenure", "grpcio", "protobuf", "psycopg")}
    return {
        "processors": str(os.cpu_count()),
        "python": platform.python_version(),
        "one page to disk": f"{disk:.2f} ms",
        **{f"postgres {name}": value for name, value in settings.items()},
        **packages,
    }
