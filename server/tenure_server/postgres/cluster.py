"""A PostgreSQL cluster on disk: made aside, renamed into place when complete."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from tenure_server.postgres.account import Account
from tenure_server.postgres.binaries import Binaries
from tenure_server.postgres.data_directory import DataDirectory, open_plain
from tenure_server.postgres.errors import PostgresError
from tenure_server.postgres.programs import last_lines, run, unable_to_run

SUPERUSER = "postgres"
DATABASE = "tenure"


def cluster_major(cluster: Path) -> int | None:
    """The major version that made `cluster`, or None when there is none yet.

    Raises PostgresError for a directory with other content.
    """
    try:
        return int((cluster / "PG_VERSION").read_text())
    except (FileNotFoundError, ValueError):
        if cluster.is_dir() and any(cluster.iterdir()):
            raise PostgresError(
                f"{cluster} holds files but no PostgreSQL cluster: "
                "move them away, or name another data directory"
            ) from None
        return None


def require_owner(cluster: Path, account: Account) -> None:
    """Raise PostgresError unless `account` owns `cluster`; close it where a volume's mount opened it."""
    found = cluster.stat()
    if found.st_uid != account.uid:
        raise PostgresError(
            f"{cluster} belongs to user id {found.st_uid} and not to {account.name!r} ({account.uid}): "
            "run PostgreSQL as its owner, or change the owner of all of it"
        )
    if found.st_mode & 0o027:
        cluster.chmod(0o700)


def create_cluster(home: DataDirectory, binaries: Binaries, account: Account) -> None:
    """Make the cluster with an empty database `tenure` in it; on any error nothing is left."""
    # PostgreSQL would start on what a killed initdb left, so the real name appears only when all is done.
    fresh = Path(tempfile.mkdtemp(prefix="cluster.new-", dir=home.path))
    try:
        account.give(fresh)
        _init(fresh, binaries, account)
        _create_database(fresh, binaries, account)
        fresh.rename(home.cluster)
        _sync(home.path)
    finally:
        home.remove_unfinished()


def remembered_bin_dir(home: DataDirectory) -> Path | None:
    """The programs this cluster was last used with; only a note of our own is believed."""
    try:
        if home.marker_file.lstat().st_uid != os.geteuid():
            return None
        return Path(json.loads(home.marker_file.read_text())["bin_dir"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(home: DataDirectory, binaries: Binaries) -> None:
    """Write down which programs the cluster is used with."""
    note = {"bin_dir": str(binaries.bin_dir), "version": ".".join(map(str, binaries.version))}
    fresh = home.marker_file.with_suffix(".new")
    with os.fdopen(open_plain(fresh, os.O_WRONLY | os.O_TRUNC), "w") as file:
        json.dump(note, file)
    fresh.replace(home.marker_file)


def _init(directory: Path, binaries: Binaries, account: Account) -> None:
    done = _run_initdb(directory, binaries, account, _locale(binaries.major))
    if "invalid locale" in done.stderr:  # C.UTF-8 is not everywhere
        done = _run_initdb(directory, binaries, account, ["--locale=C"])
    if done.returncode != 0:
        cluster = directory.with_name("cluster")
        raise PostgresError(f"initdb could not make {cluster}: {last_lines(done.stderr)}")


def _locale(major: int) -> list[str]:
    """Byte order and UTF-8, whatever the machine's own locale is."""
    if major >= 17:
        return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return ["--locale=C.UTF-8"]


def _run_initdb(
    directory: Path, binaries: Binaries, account: Account, locale: list[str]
) -> subprocess.CompletedProcess[str]:
    program = binaries.program("initdb")
    options = ["--encoding=UTF8", "--auth-local=trust", "--auth-host=reject", "--no-instructions"]
    try:
        return run([program, "-D", directory, "-U", SUPERUSER, *options, *locale], account)
    except OSError as error:
        raise unable_to_run(program, account, error) from error


def _create_database(directory: Path, binaries: Binaries, account: Account) -> None:
    """By the single-user backend: it needs no client program, no socket and no server."""
    backend: list[str | Path] = [binaries.program("postgres"), "--single", "-D", directory]
    command = [*backend, "-c", "exit_on_error=on", "template1"]
    done = run(command, account, typed=f"CREATE DATABASE {DATABASE};\n")
    if done.returncode != 0:
        raise PostgresError(f"the database {DATABASE!r} could not be created: {last_lines(done.stderr)}")


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
