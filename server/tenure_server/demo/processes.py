"""The processes of the demonstration: one server and several workers, each of which can be killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tenure_server.demo.journal import JournalledLease, read_journal

_STOP_SECONDS = 15.0
_TAIL_LINES = 12


class Process:
    """A child of ours in a session of its own, so that Ctrl-C reaches it only through us."""

    def __init__(self, name: str, arguments: Sequence[str], log_file: Path) -> None:
        self.name = name
        self._arguments = arguments
        self._log_file = log_file
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative when a signal ended it."""
        return None if self._process is None else self._process.poll()

    def start(self) -> None:
        with self._log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *self._arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment(), start_new_session=True,
            )  # fmt: skip

    def freeze(self) -> None:
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(signal.SIGCONT)

    def kill(self) -> None:
        """End it with SIGKILL: it can neither clean up nor say good-bye."""
        self._send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """End it with SIGTERM, and with SIGKILL when that does not help."""
        if self._process is None:
            return
        self._send(signal.SIGTERM)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def log_tail(self) -> str:
        if not self._log_file.exists():
            return ""
        return "\n".join(self._log_file.read_text(errors="replace").splitlines()[-_TAIL_LINES:])

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


class WorkerProcess(Process):
    """A worker that writes down which leases it works under."""

    def __init__(
        self, number: int, target: str, queue: str, scratch: Path, *, lease: float, concurrency: int
    ) -> None:
        name = f"worker {number}"
        self.holder = f"demo-worker-{number}:{scratch.name}"
        self._journal_file = scratch / f"worker-{number}.journal"
        arguments = [
            "tenure_server.demo.worker", target, queue, self.holder, str(self._journal_file),
            f"--lease={lease}", f"--concurrency={concurrency}",
        ]  # fmt: skip
        super().__init__(name, arguments, scratch / f"worker-{number}.log")

    def leases(self) -> Mapping[str, JournalledLease]:
        return read_journal(self._journal_file)


def server_process(target: str, data_dir: Path, scratch: Path) -> Process:
    """Return the server on a Unix socket with its own PostgreSQL, which a kill leaves running."""
    arguments = [
        "tenure_server", "serve", f"--listen={target}", f"--data-dir={data_dir}", "--sweep-interval=250ms",
        "--grace=2s",
    ]  # fmt: skip
    return Process("server", arguments, scratch / "server.log")


def _environment() -> dict[str, str]:
    # Settings meant for another server must not steer this one.
    return {name: value for name, value in os.environ.items() if not name.startswith("TENURE_")}
