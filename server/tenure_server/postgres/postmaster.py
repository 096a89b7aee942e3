"""The running server: a child process of ours, ready or stopped."""

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tenure_server.postgres.account import Account
from tenure_server.postgres.binaries import Binaries
from tenure_server.postgres.data_directory import DataDirectory
from tenure_server.postgres.errors import PostgresError
from tenure_server.postgres.parameters import as_arguments
from tenure_server.postgres.pid_file import PidFile
from tenure_server.postgres.processes import FAST_SECONDS, IMMEDIATE_SECONDS, PAUSE_SECONDS
from tenure_server.postgres.programs import last_lines, spawn, unable_to_run

# Backends whose postmaster was killed notice only when they next wait for something.
ORPHANED_BACKENDS = "pre-existing shared memory block"


@dataclass(frozen=True)
class Launch:
    """Everything a start needs, decided."""

    home: DataDirectory
    binaries: Binaries
    account: Account
    socket_dir: Path
    parameters: dict[str, str]

    def command(self) -> list[str | Path]:
        program = self.binaries.program("postgres")
        options = as_arguments(self.parameters)
        return [program, "-D", self.home.cluster, "-k", self.socket_dir, *options]


class Postmaster:
    """One `postgres` process that we started; `log_start` is where its part of the log begins, in bytes."""

    def __init__(self, process: "subprocess.Popen[bytes]", home: DataDirectory, log_start: int) -> None:
        self._process = process
        self._home = home
        self._log_start = log_start

    @classmethod
    def spawned(cls, launch: Launch) -> "Postmaster":
        with launch.home.open_log() as log:
            log_start = log.tell()
            try:
                process = spawn(launch.command(), launch.account, log)
            except OSError as error:
                raise unable_to_run(launch.binaries.program("postgres"), launch.account, error) from error
            return cls(process, launch.home, log_start)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def is_ready(self) -> bool:
        """Whether it takes connections; raises PostgresError with the log's end when it has exited."""
        pid_file = PidFile.of(self._home.cluster)
        if pid_file is not None and pid_file.pid == self.pid and pid_file.status == "ready":
            return True
        if self._process.poll() is not None:
            raise PostgresError(
                f"PostgreSQL stopped while starting (exit code {self._process.returncode}); "
                f"its log {self._home.log_file} ends: {last_lines(self.log())}"
            )
        return False

    def log(self) -> str:
        """What this server, and not an earlier one, has written to the log; its last 64 KiB."""
        with self._home.log_file.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(self._log_start, size - 65536))
            return file.read().decode(errors="replace")

    def stop(self, fast: float = FAST_SECONDS, immediate: float = IMMEDIATE_SECONDS) -> None:
        """SIGINT: clients are cut off and all is written. SIGTERM would wait for idle clients for ever.

        After `fast` seconds SIGQUIT, which leaves recovery to the next start; after `immediate` more seconds
        raises PostgresError.
        """
        for number, seconds in ((signal.SIGINT, fast), (signal.SIGQUIT, immediate)):
            self._process.send_signal(number)
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return
        raise PostgresError(f"PostgreSQL (process {self.pid}) does not stop: end it by hand")


def started(launch: Launch, seconds: float) -> Postmaster:
    """A server that takes connections; raises PostgresError when it exits or takes more than `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        postmaster = Postmaster.spawned(launch)
        try:
            _wait_until_ready(postmaster, deadline)
            return postmaster
        except PostgresError:
            if ORPHANED_BACKENDS not in postmaster.log() or time.monotonic() > deadline:
                raise
            time.sleep(10 * PAUSE_SECONDS)
        except BaseException:
            postmaster.stop()
            raise


def _wait_until_ready(postmaster: Postmaster, deadline: float) -> None:
    while not postmaster.is_ready():
        if time.monotonic() > deadline:
            postmaster.stop()
            raise PostgresError(
                "PostgreSQL was not ready in time, perhaps still recovering from a crash: allow it more; "
                f"its log ends: {last_lines(postmaster.log())}"
            )
        time.sleep(PAUSE_SECONDS)
