"""The files that settings name: there, of the right kind, and closed to strangers."""

import os
import stat
from pathlib import Path

from tenure_server.settings.rules import DSN, SettingsError

_LARGEST = 1024 * 1024


def read_dsn(flag: str, path: Path) -> str:
    """Return the connection string in a file; raises SettingsError."""
    require_file(flag, path)
    try:
        return str(DSN.read(path.read_text(encoding="utf-8").strip()))
    except ValueError:
        raise SettingsError(f"{flag}: {path} must hold {DSN.words}, and nothing else.") from None


def require_key(flag: str, path: Path) -> None:
    """Raise SettingsError unless the file can be read by us and by no stranger."""
    if require_file(flag, path).st_mode & stat.S_IRWXO:
        raise SettingsError(
            f"{flag}: {path} is open to every user of this machine; chmod it to 0600 or 0640."
        )


def require_file(flag: str, path: Path) -> os.stat_result:
    """Raise SettingsError unless a regular file that we can read lies at `path`, or a link leads to one."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SettingsError(f"{flag}: {path} is not a regular file.")
        if not 0 < found.st_size <= _LARGEST:
            raise SettingsError(f"{flag}: {path} is empty or larger than 1 MiB.")
        path.open("rb").close()
    except OSError as error:
        raise SettingsError(f"{flag}: {path} cannot be read ({error.strerror}).") from error
    return found
