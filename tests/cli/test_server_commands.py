"""`tenure check`, `migrate` and `serve`, with a real database where one is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Run


def test_check_tries_the_database_and_hides_its_password(run: Run, dsn: str) -> None:
    ran = run("check", "--dsn", f"{dsn} password=hunter2")

    assert ran.code == 0
    assert "hunter2" not in ran.out
    assert "database: answers; schema version" in ran.out


def test_check_fails_when_the_database_does_not_answer(run: Run, tmp_path: Path) -> None:
    ran = run("check", "--json", "--dsn", f"host={tmp_path} dbname=none password=hunter2")

    database = json.loads(ran.out)["database"]
    assert (ran.code, database["usable"]) == (1, False)
    assert "hunter2" not in ran.out + ran.err


def test_check_tells_where_each_value_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_GRACE", "5s")
    monkeypatch.setenv("TENURE_GRAZE", "5s")

    ran = run("check", "--pool-size", "7")

    rows = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines()}
    assert rows["--pool-size"] == ["7", "--pool-size"]
    assert rows["--grace"] == ["5s", "TENURE_GRACE"]
    assert rows["--retention"] == ["7d", "default"]
    assert ran.err == "note: TENURE_GRAZE is set and is no setting of a server\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--pool-size", "0"),
        ("serve", "--listen", "0.0.0.0:0"),
        ("migrate", "--dsn", "nonsense"),
        ("check", "--tls-cert", "/nowhere"),
    ],
)
def test_a_bad_setting_is_one_sentence_on_stderr_and_exit_code_2(
    arguments: tuple[str, ...], dsn: str
) -> None:
    ran = in_a_process(*arguments, environment={"TENURE_DSN": dsn} if arguments[0] == "serve" else {})

    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1


def test_an_unsafe_address_is_refused_before_a_database_is_made(tmp_path: Path) -> None:
    ran = in_a_process("serve", "--listen", "0.0.0.0:0", "--data-dir", str(tmp_path / "data"))

    assert (ran.code, ran.out) == (2, "")
    assert "or --insecure if plain text is meant" in ran.err
    assert not (tmp_path / "data").exists()


def test_migrate_brings_the_schema_up_to_date(dsn: str) -> None:
    status = in_a_process("migrate", "--status", "--dsn", dsn)
    migrated = in_a_process("migrate", "--dsn", dsn)

    assert (status.code, migrated.code) == (0, 0)
    assert status.out == migrated.out


def in_a_process(*arguments: str, environment: dict[str, str] | None = None) -> Ran:
    """Run a command that sets up logging and signals, which must not stay in this process."""
    done = subprocess.run(
        [sys.executable, "-m", "tenure_server", *arguments],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)
