"""Running PostgreSQL's programs: a clean environment, no terminal, the right account."""

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tenure_server.postgres.account import Account
from tenure_server.postgres.errors import PostgresError

# A list of what may pass, not of what may not: every PG* and LC_* variable changes what the programs do,
# and our own secrets are nothing a database server should carry. The last three give a nameless user id
# a name (nss_wrapper).
KEPT_VARIABLES = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NSS_WRAPPER_PASSWD",
    "NSS_WRAPPER_GROUP",
)
RUN_SECONDS = 300


def clean_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment for PostgreSQL's programs: C messages, UTC, and what the system needs to run them."""
    kept = {name: environment[name] for name in KEPT_VARIABLES if name in environment}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def run(
    command: Sequence[str | Path], account: Account, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end as `account`, with `typed` as its input, at most RUN_SECONDS.

    Raises OSError when it cannot be executed and PostgresError when it takes too long.
    """
    try:
        return subprocess.run(
            command,
            cwd="/",
            env=clean_environment(),
            input=typed if typed is not None else "",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_SECONDS,
            start_new_session=True,
            user=account.uid if account.demoted else None,
            group=account.gid if account.demoted else None,
            extra_groups=[] if account.demoted else None,
        )
    except subprocess.TimeoutExpired as error:
        raise PostgresError(
            f"{command[0]} did not end within {RUN_SECONDS} s: look at the machine's load"
        ) from error


def spawn(command: Sequence[str | Path], account: Account, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program that stays, as `account`, writing to `log`: a pipe nobody reads would stall it.

    It gets a session of its own, so that a Ctrl-C in our terminal does not reach it.
    """
    return subprocess.Popen(
        command,
        cwd="/",
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        user=account.uid if account.demoted else None,
        group=account.gid if account.demoted else None,
        extra_groups=[] if account.demoted else None,
    )


def unable_to_run(program: Path, account: Account, error: OSError) -> PostgresError:
    """The sentence for a program that the system would not execute."""
    if account.demoted and error.errno in (errno.EPERM, errno.EINVAL):
        return PostgresError(
            f"this root may not run a program as {account.name!r} ({error.strerror}): "
            "run as an ordinary user, or give the DSN of a running server"
        )
    return PostgresError(f"{program} cannot be run as {account.name!r}: {error.strerror}")


def last_lines(text: str, count: int = 5) -> str:
    """The end of a program's output as one line for an error's text."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-count:])[-1000:] or "(nothing)"
