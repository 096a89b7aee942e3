"""The files to work on, and how a job for one is named."""

import hashlib
import os
import stat
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

_LEFT_OUT = {"__pycache__", "site-packages", "dist-packages", ".git"}
_ENOUGH = 2_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file as it was when the run began; another size or time makes it another job."""

    path: str
    size: int
    mtime_ns: int

    @classmethod
    def at(cls, path: str) -> Self | None:
        """Return the file, or None when there is no regular file with a name in UTF-8 that we can read."""
        try:
            path.encode()
            found = os.lstat(path)
        except (OSError, UnicodeEncodeError):
            return None
        if not stat.S_ISREG(found.st_mode) or not os.access(path, os.R_OK):
            return None
        return cls(path, found.st_size, found.st_mtime_ns)

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self:
        return cls(payload["path"], payload["size"], payload["mtime_ns"])

    @property
    def key(self) -> str:
        """The idempotency key of the file's job."""
        text = f"{self.path}\0{self.size}\0{self.mtime_ns}"
        return "demo:" + hashlib.sha256(text.encode()).hexdigest()

    def payload(self) -> dict[str, Any]:
        return asdict(self)


def find_files(directories: Sequence[Path], limit: int) -> list[SourceFile]:
    """Return up to `limit` files below the directories, in the order of their paths."""
    paths = chain.from_iterable(map(_walk, directories))
    found = (file for path in paths if (file := SourceFile.at(path)) is not None)
    return list(islice(found, limit))


def default_directories() -> list[Path]:
    """Return the standard library of this interpreter; with what is installed, where it is a small one."""
    library, installed = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    if len(find_files([library], _ENOUGH)) < _ENOUGH:
        return [library, installed]
    return [library]


def queue_of(directories: Sequence[Path]) -> str:
    """Return the queue for the files of these directories."""
    text = "\0".join(str(directory) for directory in directories)
    return "demo-" + hashlib.sha256(os.fsencode(text)).hexdigest()[:12]


def _walk(directory: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(directory.resolve()):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        yield from (os.path.join(folder, name) for name in sorted(names))
