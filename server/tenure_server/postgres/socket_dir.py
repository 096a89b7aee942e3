"""The directory of the server's Unix socket: mode 0700, the only thing that guards `trust`."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tenure_server.postgres.account import Account

SOCKET_NAME = ".s.PGSQL.5432"
PATH_BYTES = 103 if sys.platform == "darwin" else 107
PREFIX = "tenure-"


@contextmanager
def socket_directory(preferred: Path, account: Account) -> Iterator[Path]:
    """A directory for `account`'s socket: `preferred`, or a temporary one where its path cannot be used."""
    if is_usable(preferred):
        if preferred.is_symlink():
            preferred.unlink()
        preferred.mkdir(0o700, exist_ok=True)
        yield _closed(preferred, account)
        return
    temporary = _closed(_temporary_directory(account), account)
    try:
        yield temporary
    finally:
        remove_abandoned(str(temporary), account)


def is_usable(directory: Path) -> bool:
    """Whether PostgreSQL and libpq take the path: both have a limit in bytes and read a comma as a list."""
    length = len(os.fsencode(directory / SOCKET_NAME))
    return length <= PATH_BYTES and not set(',"') & set(str(directory))


def remove_abandoned(directory: str, account: Account) -> None:
    """Remove a temporary socket directory of an earlier run; anything else is left alone."""
    path = Path(directory)
    if not path.name.startswith(PREFIX) or path.is_symlink() or not path.is_dir():
        return
    if path.stat().st_uid == account.uid:
        _remove_sockets(path)
        with suppress(OSError):
            path.rmdir()


def _closed(directory: Path, account: Account) -> Path:
    """`directory` as `account`'s alone, without a stale lock file whose pid may be a stranger's by now."""
    directory.chmod(0o700)
    account.give(directory)
    _remove_sockets(directory)
    return directory


def _remove_sockets(directory: Path) -> None:
    for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
        (directory / name).unlink(missing_ok=True)


def _temporary_directory(account: Account) -> Path:
    places = [os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"]
    if account.demoted:  # root's own places may be closed to the account it steps down to
        places = ["/tmp", tempfile.gettempdir()]
    longest = PREFIX + "x" * 8
    place = next((place for place in places if _is_place(place, longest)), "/tmp")
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))


def _is_place(place: str, name: str) -> bool:
    return os.path.isabs(place) and os.access(place, os.W_OK | os.X_OK) and is_usable(Path(place, name))
