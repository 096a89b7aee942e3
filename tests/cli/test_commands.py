"""What all commands share, and the queues."""

import json
from pathlib import Path

import pytest

from tenure import Queue
from tenure.errors import JobNotFound, Unavailable
from tests.cli.conftest import FakeClient, Run
from tests.cli.jobs import JOB_ID, T0

Client = type[FakeClient]


def test_options_may_stand_before_or_after_the_command_and_the_later_ones_count(
    run: Run, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENURE_SERVER", "unix:/from/environment")
    client.answers["get_queue"] = Queue("mail", False, None, 0, 0, None)

    run("queues", "show", "mail")
    run("--server", "unix:/before", "queues", "show", "mail")
    run("--server", "unix:/before", "queues", "show", "mail", "--server", "unix:/after")

    targets = [arguments[0] for name, arguments, _ in client.calls if name == "Client"]
    assert targets == ["unix:/from/environment", "unix:/before", "unix:/after"]


def test_the_token_is_read_from_its_file(run: Run, client: Client, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    client.answers["get_queue"] = Queue("mail", False, None, 0, 0, None)

    run("queues", "show", "mail", "--token-file", str(tmp_path / "token"))

    assert client.call("Client")[1]["token"] == "secret"


def test_a_token_file_that_is_not_there_is_wrong_usage(run: Run, client: Client) -> None:
    ran = run("queues", "show", "mail", "--token-file", "/nowhere")

    assert ran.code == 2
    assert "--token-file: /nowhere cannot be read (No such file or directory)." in ran.err


def test_a_refusal_is_one_line_with_its_reason(run: Run, client: Client) -> None:
    client.answers["get_job"] = JobNotFound("there is no job\x1b[31m")

    ran = run("jobs", "show", JOB_ID)

    assert ran == (1, "", "error: JOB_NOT_FOUND: there is no job\\x1b[31m\n")


def test_a_server_that_does_not_answer_is_one_sentence(run: Run, client: Client) -> None:
    client.answers["get_job"] = Unavailable("failed to connect to all addresses; …")

    ran = run("jobs", "show", JOB_ID, "--server", "localhost:1")

    assert ran.code == 1
    assert ran.err == (
        "error: no server answers at localhost:1: start one with `tenure serve`, "
        "or name another with --server\n"
    )


def test_a_target_that_is_none_is_wrong_usage(run: Run) -> None:
    ran = run("jobs", "show", JOB_ID, "--server", "https://")

    assert ran.code == 2
    assert "--server:" in ran.err


@pytest.mark.parametrize(
    "arguments,change",
    [
        (("pause", "mail"), {"paused": True}),
        (("resume", "mail"), {"paused": False}),
        (("limit", "mail", "5"), {"max_active": 5}),
        (("limit", "mail", "none"), {"max_active": 0}),
    ],
)
def test_queues_are_changed(
    arguments: tuple[str, ...], change: dict[str, object], run: Run, client: Client
) -> None:
    client.answers["update_queue"] = Queue("mail", True, 5, 100_000, 2, T0)

    ran = run("queues", *arguments)

    assert client.call("update_queue") == (("mail",), change)
    assert ran.out.splitlines()[1].split()[:5] == ["mail", "paused", "100,000+", "2", "5"]


def test_queues_are_listed(run: Run, client: Client) -> None:
    client.answers["list_queues"] = iter([Queue("mail", False, None, 1, 0, None)])

    assert json.loads(run("--json", "queues", "list").out) == {
        "queues": [
            {
                "name": "mail", "paused": False, "max_active": None, "ready": 1, "leased": 0,
                "update_time": None,
            }
        ]
    }  # fmt: skip


@pytest.mark.parametrize("count", ["0", "-1", "many", "٣"])
def test_a_limit_that_is_no_count_is_wrong_usage(count: str, run: Run, client: Client) -> None:
    assert run("queues", "limit", "mail", "--", count).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("jobs", "list", "--label", "nokey"),
        ("jobs", "list", "--label", "a=1", "--label", "a=2"),
        ("jobs", "list", "--created-from", "yesterday"),
        ("jobs", "list", "--limit", "0"),
        ("jobs", "create", "--retry-delay", "5"),
        ("jobs", "create", "--payload", "a", "--payload-file", "b"),
        ("jobs", "create", "--payload-file", "/nowhere"),
        ("jobs", "watch", JOB_ID, "--queue", "mail"),
    ],
)
def test_values_that_mean_nothing_are_wrong_usage(
    arguments: tuple[str, ...], run: Run, client: Client
) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
