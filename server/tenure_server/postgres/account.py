"""The operating-system account that PostgreSQL runs under; it refuses to run as root."""

import os
import pwd
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tenure_server.postgres.errors import PostgresError


@dataclass(frozen=True)
class Account:
    """A named account, and whether we are root and have to step down to it."""

    name: str
    uid: int
    gid: int
    demoted: bool

    def give(self, path: Path) -> None:
        """Make `path` this account's when we are root; raises PostgresError when that is not allowed."""
        if self.demoted:
            self._change_owner(path, self.uid)

    def admit(self, path: Path) -> None:
        """Let this account's group, and no one else, pass through root's directory `path`."""
        if self.demoted:
            self._change_owner(path, -1)
            path.chmod(0o710)

    def _change_owner(self, path: Path, uid: int) -> None:
        try:
            os.chown(path, uid, self.gid, follow_symlinks=False)
        except OSError as error:
            raise PostgresError(
                f"this root may not give {path} to {self.name!r} ({error.strerror}): "
                "run as an ordinary user, or give the DSN of a running server"
            ) from error


def choose_account(run_as: str | None, owned: Iterable[Path]) -> Account:
    """The account for the server.

    For an ordinary user it is that user. For root: `run_as`, else the first owner of the `owned` paths that
    exists and is not root, else `postgres`, else `nobody`. No account is ever created.
    """
    if os.geteuid() != 0:
        return _own_account(run_as)
    if run_as is not None:
        return _demoted(_entry_named(run_as))
    owner = _first_owner(owned)
    if owner is not None:
        return _demoted(_entry_of(owner))
    return _demoted(_default_entry())


def _first_owner(paths: Iterable[Path]) -> int | None:
    owners = (path.lstat().st_uid for path in paths if os.path.lexists(path))
    return next((uid for uid in owners if uid != 0), None)


def _own_account(run_as: str | None) -> Account:
    entry = _entry_of(os.geteuid())
    if run_as not in (None, entry.pw_name):
        raise PostgresError(f"only root can run PostgreSQL as {run_as!r}: leave the account out")
    return Account(entry.pw_name, entry.pw_uid, os.getegid(), demoted=False)


def _demoted(entry: pwd.struct_passwd) -> Account:
    if entry.pw_uid == 0:
        raise PostgresError("PostgreSQL refuses to run as root: name an ordinary account for it")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, demoted=True)


def _entry_of(uid: int) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        raise PostgresError(
            f"user id {uid} has no entry in the passwd database, without which PostgreSQL does not start: "
            "run under a named account, or give the DSN of a running server"
        ) from None


def _entry_named(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        raise PostgresError(f"there is no account {name!r}: name an existing one for PostgreSQL") from None


def _default_entry() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise PostgresError(
        "PostgreSQL refuses to run as root and there is neither a 'postgres' nor a 'nobody' account: "
        "name an account for it, or run as an ordinary user"
    )
