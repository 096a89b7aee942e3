"""One process per data directory."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenure_server.postgres.data_directory import open_plain
from tenure_server.postgres.errors import PostgresError


@contextmanager
def locked(lock_file: Path) -> Iterator[None]:
    """Hold the directory of `lock_file`; raises PostgresError naming the process that already does.

    The file itself stays: removing it would let two processes lock two files of one name.
    """
    descriptor = open_plain(lock_file, os.O_RDWR)
    try:
        _lock(descriptor, lock_file)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, lock_file: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 300, 0).decode(errors="replace").strip() or "unknown"
        raise PostgresError(
            f"{lock_file.parent} is in use by process {holder}: stop that one, or name another data directory"
        ) from None
    except OSError as error:
        raise PostgresError(
            f"{lock_file} cannot be locked ({error.strerror}): name a data directory on a local file system"
        ) from error
