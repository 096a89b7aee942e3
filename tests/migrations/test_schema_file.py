"""store/schema.sql is what the migrations make: the one place to see the schema as it is now.

To write it anew after a migration was added, run this file with TENURE_WRITE_SCHEMA=1.
"""

import os
import re
import subprocess
from pathlib import Path

import psycopg
import pytest

import tenure_server
from tenure_server.postgres import PostgresError, find_binaries

SCHEMA = Path(tenure_server.__file__).parent / "store" / "schema.sql"
HEAD = """\
-- What the migrations make, for reading. Nothing runs it. Written by tests/migrations/test_schema_file.py.
"""
MAJOR = 18
"""The version whose pg_dump wrote the file: others lay it out differently."""


def test_the_schema_file_is_what_the_migrations_make(dsn: str) -> None:
    made = HEAD + normalised(dumped(dsn))

    if os.environ.get("TENURE_WRITE_SCHEMA"):
        SCHEMA.write_text(made, "utf-8")
    assert SCHEMA.read_text("utf-8") == made


def dumped(dsn: str) -> str:
    """What pg_dump says of the database."""
    with psycopg.connect(dsn) as connection:
        if connection.info.server_version // 10_000 != MAJOR:
            pytest.skip(f"the file was written with PostgreSQL {MAJOR}")
    try:
        program = find_binaries(None, MAJOR).program("pg_dump")
    except PostgresError as error:
        pytest.skip(f"there is no pg_dump of PostgreSQL {MAJOR}: {error}")
    command = [str(program), "--schema-only", "--no-owner", "--no-privileges", f"--dbname={dsn}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=30).stdout


def normalised(dump: str) -> str:
    """The dump without what differs between machines and says nothing."""
    kept = [
        line
        for line in dump.splitlines()
        if not line.startswith(("--", "SET ", "SELECT pg_catalog.set_config", "\\restrict", "\\unrestrict"))
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"
