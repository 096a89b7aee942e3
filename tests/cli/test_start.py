"""How quickly commands start: what they load."""

import subprocess
import sys

import pytest

from tenure_server.cli import main
from tests.cli.conftest import Run

HEAVY = ("grpc", "google.protobuf", "psycopg", "psycopg_pool", "rich", "yaml", "structlog", "protovalidate")
SERVER_ONLY = ("psycopg", "psycopg_pool", "yaml", "structlog", "protovalidate", "tenure_server.application")

REPORT = """
import sys
from tenure_server.cli import main
main(sys.argv[2:])
print(*(name for name in sys.argv[1].split(",") if name in sys.modules), file=sys.stderr)
"""


def loaded(names: tuple[str, ...], *arguments: str) -> list[str]:
    """Which of these modules are loaded after running the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT, ",".join(names), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("arguments", [("--help",), ("jobs", "--help"), ("serve", "--help"), ("check",)])
def test_what_needs_no_server_loads_neither_grpc_nor_a_database_driver(arguments: tuple[str, ...]) -> None:
    assert loaded(HEAVY, *arguments) == []


def test_what_talks_to_a_server_loads_no_part_of_one() -> None:
    assert loaded(SERVER_ONLY, "jobs", "list", "--server", "unix:/nowhere/tenure.sock") == []


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out.startswith("tenure, version 0.")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_completion_script(shell: str, run: Run) -> None:
    ran = run("completion", shell)

    assert ran.code == 0
    assert "_TENURE_COMPLETE" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("jobs", "list", "--nonsense"),
        ("jobs", "show"),
        ("--server",),
        ("work", "--queue", "q"),
    ],
)
def test_wrong_usage_is_told_on_stderr_with_exit_code_2(arguments: tuple[str, ...], run: Run) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("serve", "migrate", "check", "demo", "work", "jobs create", "jobs watch", "queues limit"):
        assert main([*command.split(), "--help"]) == 0
        assert "Options:" in capsys.readouterr().out
