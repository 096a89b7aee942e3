"""Making sure that the account PostgreSQL steps down to reaches its programs and its data."""

import errno
import hashlib
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from tenure_server.postgres.account import Account
from tenure_server.postgres.binaries import Binaries
from tenure_server.postgres.errors import PostgresError
from tenure_server.postgres.programs import last_lines, run, unable_to_run


def reachable_binaries(binaries: Binaries, account: Account, copies: Path) -> Binaries:
    """`binaries` if `account` can run them, else a copy of them below `copies`, made once."""
    if not account.demoted or not _refused(binaries, account):
        return binaries
    copy = replace(binaries, bin_dir=_copied(binaries.bin_dir, copies))
    if _refused(copy, account):
        raise _out_of_reach(copies.parent, account)
    return copy


def require_reachable(data_dir: Path, binaries: Binaries, account: Account) -> None:
    """Raise PostgresError when `account` cannot enter `data_dir` because of a directory above it."""
    if not account.demoted:
        return
    # With no cluster there this always fails; what counts is whether for want of permission.
    probe = run([binaries.program("postgres"), "-C", "data_directory", "-D", data_dir], account)
    if "Permission denied" in probe.stderr:
        raise _out_of_reach(data_dir, account)


def _out_of_reach(data_dir: Path, account: Account) -> PostgresError:
    return PostgresError(
        f"{account.name!r}, which PostgreSQL runs as when root starts it, cannot enter {data_dir} "
        "or a directory above it: name a data directory elsewhere, such as one under /var/lib"
    )


def _refused(binaries: Binaries, account: Account) -> bool:
    return any(_program_refused(binaries.program(name), account) for name in ("postgres", "initdb"))


def _program_refused(program: Path, account: Account) -> bool:
    try:
        probe = run([program, "--version"], account)
    except OSError as error:
        if error.errno == errno.EACCES:
            return True
        raise unable_to_run(program, account, error) from error
    if probe.returncode == 0:
        return False
    if "ermission denied" in probe.stderr or "cannot open shared object" in probe.stderr:
        return True
    raise PostgresError(f"{program} does not run as {account.name!r}: {last_lines(probe.stderr)}")


def _copied(bin_dir: Path, copies: Path) -> Path:
    """Copy the installation around `bin_dir`, keeping its shape: programs find libraries by relative path."""
    prefix = bin_dir.parent
    if not any((prefix / "share").rglob("postgres.bki")):
        raise PostgresError(f"{bin_dir} is closed to other accounts: open it, or name another bin directory")
    with (bin_dir / "postgres").open("rb") as program:
        digest = hashlib.file_digest(program, "sha256").hexdigest()[:16]
    target = copies / digest
    if not target.is_dir():
        _copy_tree(prefix, target)
    return target / prefix.parent.name / prefix.name / bin_dir.name


def _copy_tree(prefix: Path, target: Path) -> None:
    shutil.rmtree(target.parent, ignore_errors=True)  # what earlier versions left
    target.parent.mkdir()
    target.parent.chmod(0o755)
    fresh = Path(tempfile.mkdtemp(dir=target.parent))
    fresh.chmod(0o755)
    package = fresh / prefix.parent.name
    ignored = shutil.ignore_patterns("include", "*.a", "doc")
    shutil.copytree(prefix, package / prefix.name, symlinks=True, ignore=ignored)
    libraries = prefix.parent.with_name(f"{prefix.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, fresh / libraries.name, symlinks=True)
    _open_for_reading(fresh)
    fresh.rename(target)


def _open_for_reading(tree: Path) -> None:
    for directory, _, names in os.walk(tree):
        for path in (Path(directory), *(Path(directory, name) for name in names)):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
