"""Looking at processes that are not our children."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tenure_server.postgres.errors import PostgresError

FAST_SECONDS = 60.0
IMMEDIATE_SECONDS = 15.0
PAUSE_SECONDS = 0.02
PROC = Path("/proc")


def is_postmaster_of(pid: int, cluster: Path) -> bool:
    """Whether `pid` is a live `postgres` that was started on `cluster`; a zombie is not."""
    program, arguments = _command_line(pid)
    if os.path.basename(program) not in ("postgres", "postmaster"):
        return False
    return f" -D {cluster} " in f" {arguments} " or _working_directory(pid) == cluster


def stop_postmaster(pid: int, cluster: Path) -> None:
    """Stop a server that is not our child: fast, then at once; raises PostgresError if it stays."""
    for number, seconds in ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise PostgresError(
                f"{cluster} is served by process {pid} of another user: stop that one"
            ) from error
        if _is_gone(pid, cluster, seconds):
            return
    raise PostgresError(f"process {pid} still serves {cluster} and does not stop: end it by hand")


def _is_gone(pid: int, cluster: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_postmaster_of(pid, cluster):
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


def _command_line(pid: int) -> tuple[str, str]:
    """The program of `pid` and all its arguments in one line; empty for none and for a zombie."""
    if not (PROC / "self" / "cmdline").exists():
        return _listed(pid, "comm"), _listed(pid, "args")
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return "", ""
    return os.fsdecode(words[0]), os.fsdecode(b" ".join(words))


def _listed(pid: int, column: str) -> str:
    command = ["ps", "-ww", "-p", str(pid), "-o", f"{column}="]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()


def _working_directory(pid: int) -> Path | None:
    """A postmaster works in its cluster, however that was written on its command line."""
    try:
        return (PROC / str(pid) / "cwd").readlink()
    except OSError:
        return None
