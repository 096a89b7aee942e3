"""Where the demonstration keeps its database between runs."""

import os
import shutil
import tempfile
from pathlib import Path

from tenure_server.postgres import default_data_dir
from tenure_server.postgres.data_directory import DataDirectory
from tenure_server.postgres.directory_lock import locked
from tenure_server.postgres.pid_file import clear_leftovers


def default_place() -> Path:
    """Return a directory beside the usual data, or a temporary one where that cannot be written."""
    place = default_data_dir().parent / "demo"
    existing = next(path for path in (place, *place.parents) if path.exists())
    if os.access(existing, os.W_OK | os.X_OK):
        return place
    return _temporary_place()


def start_anew(place: Path) -> None:
    """Remove the database of earlier runs, and nothing else; raises PostgresError while a server uses it."""
    home = DataDirectory.at(place)
    home.require_usable()
    if not home.lock_file.exists():
        return
    with locked(home.lock_file):
        clear_leftovers(home.cluster)
        shutil.rmtree(home.cluster, ignore_errors=True)


def _temporary_place() -> Path:
    # One name, so that a second run finds the first one's jobs; but only if nobody else laid it there.
    place = Path(tempfile.gettempdir()) / f"tenure-demo-{os.geteuid()}"
    try:
        # As root, the account that PostgreSQL steps down to has to pass through.
        place.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
    except FileExistsError:
        if place.is_symlink() or place.stat().st_uid != os.geteuid():
            return Path(tempfile.mkdtemp(prefix="tenure-demo-"))
    return place
