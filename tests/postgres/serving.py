"""Starting embedded servers in this process and in others, and asking them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

import tenure_server
from tenure_server.postgres import EmbeddedOptions

# Prints the server's pid and DSN, then serves until its input ends; an interrupt only prints a line.
SERVE = """
import signal, sys
from pathlib import Path
from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, PostgresError
options = EmbeddedOptions(Path(sys.argv[1]), durable=False, shared_buffers_mb=16, max_connections=20)
signal.signal(signal.SIGINT, lambda *_: print("interrupted", flush=True))
try:
    with EmbeddedPostgres(options) as server:
        print(server.pid, server.dsn, sep="\\n", flush=True)
        sys.stdin.read()
except PostgresError as error:
    sys.exit(str(error))
"""


def quick_options(data_dir: Path) -> EmbeddedOptions:
    return EmbeddedOptions(data_dir, durable=False, shared_buffers_mb=16, max_connections=20)


def python_child(source: str, *arguments: str) -> "subprocess.Popen[str]":
    """A Python process that can import the server, in a process group of its own."""
    paths = [str(Path(tenure_server.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def rows(dsn: str, statement: str) -> list[Any]:
    """What a statement answers, on a connection of its own."""
    with psycopg.connect(dsn, autocommit=True, connect_timeout=10) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def setting(dsn: str, name: str) -> str:
    """The value of one server setting."""
    return str(rows(dsn, f"SHOW {name}")[0][0])


def is_running(pid: int) -> bool:
    """Whether there is such a process, and not only a zombie that waits for its parent."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")
