"""The directory that holds a cluster and all that belongs to it: lock, log, socket, notes, programs."""

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tenure_server.postgres.account import Account
from tenure_server.postgres.errors import PostgresError

OWN_NAMES = {"cluster", "lock", "postgres.log", "postgres.log.1", "binaries", "binaries.json", "socket"}
LOG_BYTES = 16 * 1024 * 1024


def default_data_dir() -> Path:
    """Where the data lies unless said otherwise.

    For root it is under /var/lib, because the account that PostgreSQL steps down to cannot enter root's home.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/tenure/postgres")
    configured = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(configured):
        return Path(configured) / "tenure" / "postgres"
    try:
        return Path.home() / ".local/share/tenure/postgres"
    except RuntimeError as error:
        raise PostgresError("this user has no home directory: name a data directory") from error


@dataclass(frozen=True)
class DataDirectory:
    """The paths below one data directory; `path` is absolute and no symbolic link.

    The cluster is a directory below it and not `path` itself, so that it can be renamed into place when
    complete even where `path` is a mount point.
    """

    path: Path

    @classmethod
    def at(cls, path: Path) -> "DataDirectory":
        normal = Path(os.path.abspath(path))
        return cls(normal.parent.resolve() / normal.name)

    def require_usable(self) -> None:
        """Raise PostgresError when what lies at `path` cannot be a data directory of ours."""
        for path in (self.path, self.cluster):
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                raise PostgresError(
                    f"{path} is a file or a symbolic link: name a data directory that is neither"
                )
        if (self.path / "PG_VERSION").exists():
            raise PostgresError(
                f"{self.path} is the cluster of another PostgreSQL server: name a directory of Tenure's own"
            )

    @property
    def cluster(self) -> Path:
        return self.path / "cluster"

    @property
    def lock_file(self) -> Path:
        return self.path / "lock"

    @property
    def log_file(self) -> Path:
        return self.path / "postgres.log"

    @property
    def marker_file(self) -> Path:
        return self.path / "binaries.json"

    @property
    def copied_binaries(self) -> Path:
        return self.path / "binaries"

    @property
    def socket_dir(self) -> Path:
        return self.path / "socket"

    def make(self, account: Account) -> None:
        """Create what is missing, closed to all but `account`'s group (demoted) or the user."""
        _make_directories(self.path, 0o755 if account.demoted else 0o700)
        if self._is_ours_to_open():
            account.admit(self.path)

    def _is_ours_to_open(self) -> bool:
        """Root's, and with nothing in it that we did not put there."""
        ours = (path.name in OWN_NAMES or _is_unfinished(path) for path in self.path.iterdir())
        return all(ours) and self.path.stat().st_uid == 0

    def remove_unfinished(self) -> None:
        """Remove the clusters that an earlier run began to make and did not finish."""
        for path in filter(_is_unfinished, self.path.iterdir()):
            shutil.rmtree(path, ignore_errors=True)

    def open_log(self) -> BinaryIO:
        """The log, opened for appending; one that has grown past LOG_BYTES is put aside first."""
        if self.log_file.exists() and self.log_file.lstat().st_size > LOG_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        return os.fdopen(open_plain(self.log_file, os.O_WRONLY | os.O_APPEND), "ab")


def open_plain(path: Path, flags: int) -> int:
    """Open or create a file for us alone, never through a symbolic link: we may be root."""
    return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, stat.S_IRUSR | stat.S_IWUSR)


def _is_unfinished(path: Path) -> bool:
    return path.name.startswith("cluster.new-")


def _make_directories(path: Path, mode: int) -> None:
    """Like mkdir -p, with `mode` whatever the umask is."""
    if path.is_dir():
        return
    _make_directories(path.parent, mode)
    path.mkdir(exist_ok=True)
    path.chmod(mode)
