"""A Unix socket that takes nobody's place: neither a file's nor a living server's."""

import asyncio
import errno
import fcntl
import os
import secrets
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tenure_server.rpc.listen import Listen, ListenError, cannot_listen

MODE = 0o660
LONGEST_PATH = 107
LOCK_TRIES, LOCK_PAUSE = 40, 0.05


class UnixSocket:
    """The socket file of one server.

    When gRPC stops it removes the name it bound, whoever has that name by then. So it binds `bound`,
    which nobody else knows; `publish` gives the socket its real name, removed only while it is ours.
    """

    def __init__(self, listen: Listen) -> None:
        assert listen.path is not None
        self._listen = listen
        self._path = listen.path
        self.bound = self._path.with_name(f".{secrets.token_hex(4)}")
        self._inode: tuple[int, int] | None = None

    @asynccontextmanager
    async def claimed(self) -> AsyncIterator[None]:
        """Keep other servers from taking the place meanwhile; raises ListenError if it is not free.

        What is bound within gets the right mode from its first moment on.
        """
        self._require_place()
        async with _locked(self._listen, self._path.parent):
            self._require_free()
            mask = os.umask(0o777 & ~MODE)
            try:
                yield
            finally:
                os.umask(mask)

    def publish(self) -> None:
        """Give the bound socket its real name; raises ListenError if that was taken just now."""
        try:
            os.chmod(self.bound, MODE)
            found = os.lstat(self.bound)
            os.link(self.bound, self._path)
            os.unlink(self.bound)
        except OSError as error:
            raise cannot_listen(self._listen, error) from None
        self._inode = found.st_dev, found.st_ino

    def remove(self) -> None:
        """Remove the socket if it is still ours."""
        found = _status(self._path)
        if found is not None and (found.st_dev, found.st_ino) == self._inode:
            self._path.unlink(missing_ok=True)
        self._inode = None

    def _require_place(self) -> None:
        parent = self._path.parent
        if max(len(os.fsencode(path)) for path in (self._path, self.bound)) > LONGEST_PATH:
            raise ListenError(
                f"cannot listen on {self._listen}: a socket's path has at most {LONGEST_PATH} bytes."
            )
        try:
            mode = parent.stat().st_mode
        except OSError as error:
            raise cannot_listen(self._listen, error) from None
        if not stat.S_ISDIR(mode):
            raise ListenError(f"cannot listen on {self._listen}: {parent} is not a directory.")
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise ListenError(
                f"cannot listen on {self._listen}: anyone may replace files in {parent}; "
                "take a directory that is not writable by all."
            )

    def _require_free(self) -> None:
        found = _status(self._path)
        if found is None:
            return
        if not stat.S_ISSOCK(found.st_mode):
            raise ListenError(f"cannot listen on {self._listen}: there is a file that is not a socket.")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1)
            answer = probe.connect_ex(str(self._path))
        if answer == errno.ECONNREFUSED:
            self._path.unlink(missing_ok=True)
        elif answer in (0, errno.EAGAIN):
            raise ListenError(f"cannot listen on {self._listen}: another process listens there.")
        elif answer != errno.ENOENT:
            raise cannot_listen(self._listen, OSError(answer, os.strerror(answer)))


@asynccontextmanager
async def _locked(listen: Listen, directory: Path) -> AsyncIterator[None]:
    """Of several servers that start in one directory, one at a time looks and binds."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for _ in range(LOCK_TRIES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(LOCK_PAUSE)
        else:
            raise ListenError(f"cannot listen on {listen}: another process keeps {directory} locked.")
        yield
    finally:
        os.close(handle)


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
