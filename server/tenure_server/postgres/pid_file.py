"""The `postmaster.pid` of a cluster, and what to do with one that an earlier run left."""

import os
from dataclasses import dataclass
from pathlib import Path

from tenure_server.postgres.processes import is_postmaster_of, stop_postmaster


@dataclass(frozen=True)
class PidFile:
    """What a `postmaster.pid` says; parts not yet written are empty."""

    path: Path
    pid: int
    socket_dir: str
    status: str

    @classmethod
    def of(cls, cluster: Path) -> "PidFile | None":
        """The pid file of `cluster`, or None when there is none or it names no process."""
        path = cluster / "postmaster.pid"
        try:
            lines = path.read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return None
        if not lines or not lines[0].strip().lstrip("-").isdigit():
            return None
        padded = [line.strip() for line in lines] + [""] * 8
        # A negative number is a single-user backend's.
        return cls(path, abs(int(padded[0])), padded[4], padded[7])

    def disown(self) -> None:
        """Put our pid in the place of a dead server's, which may be a stranger's or our next child's by now.

        PostgreSQL takes its parent's pid for stale, and still finds the shared memory segment named in the
        file, by which it knows backends that outlived their postmaster: removing the file would disarm that.
        """
        first, _, rest = self.path.read_bytes().partition(b"\n")
        self.path.write_bytes(str(os.getpid()).encode().ljust(len(first)) + b"\n" + rest)


def clear_leftovers(cluster: Path) -> str:
    """Leave neither a server nor a pid file that would stop the next start; the former socket directory.

    Only for the holder of the directory's lock: then whoever started that server is gone, or did it by hand.
    """
    left = PidFile.of(cluster)
    if left is None:
        # Empty or torn: PostgreSQL would refuse to start.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
        return ""
    if is_postmaster_of(left.pid, cluster):
        stop_postmaster(left.pid, cluster)
    if PidFile.of(cluster) is not None:
        left.disown()
    return left.socket_dir
