"""Commands against a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.testing.server import TenureServer
from tests.cli.conftest import Run

Asked = Callable[..., Any]


@pytest.fixture
def queue() -> str:
    """A queue of the test's own."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def ask(run: Run, tenure_server: TenureServer) -> Asked:
    """Runs a command that succeeds and returns the JSON it printed."""

    def ask_server(*arguments: str) -> Any:
        ran = run("--server", tenure_server.target, "--json", *arguments)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return ask_server


@contextmanager
def working(
    server: TenureServer, queue: str, source: str, *options: str
) -> Iterator["subprocess.Popen[str]"]:
    """A worker that runs this program for every job of the queue; it is told to stop at the end."""
    command = [sys.executable, "-m", "tenure_server", "work", "--server", server.target, "--queue", queue]
    worker = subprocess.Popen(
        [*command, *options, "--", sys.executable, "-c", source], stderr=subprocess.PIPE, text=True
    )
    try:
        yield worker
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(30)
        if worker.stderr is not None:
            worker.stderr.close()


def test_a_job_goes_from_creation_to_its_result(ask: Asked, tenure_server: TenureServer, queue: str) -> None:
    shout = "import sys; sys.stdout.write(sys.stdin.read().upper())"
    with working(tenure_server, queue, shout):
        created = ask("jobs", "create", "--queue", queue, "--payload", "hello", "--wait", "30s")

    assert created["job"]["state"] == "succeeded"
    assert created["job"]["result"]["text"] == "HELLO"
    shown = ask("jobs", "show", created["job"]["id"])
    assert [event["reason"] for event in shown["events"]] == ["CREATED", "ACQUIRED", "MOVED"]


def test_the_exit_code_decides_whether_a_job_is_tried_again(
    ask: Asked, run: Run, tenure_server: TenureServer, queue: str
) -> None:
    create = ("jobs", "create", "--queue", queue, "--max-attempts", "3", "--retry-delay", "0", "--payload")
    with working(tenure_server, queue, "import sys; sys.exit(int(sys.stdin.read()))"):
        tried_again = run("--server", tenure_server.target, "--json", *create, "75", "--wait", "30s")
        rejected = run("--server", tenure_server.target, "--json", *create, "100", "--wait", "30s")

    assert (tried_again.code, rejected.code) == (1, 1)
    jobs = [json.loads(ran.out)["job"] for ran in (tried_again, rejected)]
    assert [job["attempt"] for job in jobs] == [3, 1]
    assert [job["error"]["message"] for job in jobs] == [
        "the command ended with exit code 75",
        "the command ended with exit code 100",
    ]


def test_cancelling_a_job_sends_sigterm_to_its_command(
    ask: Asked, tenure_server: TenureServer, tenure_client: tenure.Client, queue: str, tmp_path: Path
) -> None:
    bye, ready = tmp_path / "bye", tmp_path / "ready"
    os.mkfifo(ready)
    source = f"""
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path({str(bye)!r}).touch(), os._exit(0)))
open({str(ready)!r}, "w").close()
time.sleep(60)
"""
    job = tenure_client.create_job(queue).job
    with working(tenure_server, queue, source, "--lease", "1s"):
        ready.read_text()  # returns when the command is there to open it
        cancelled = ask("jobs", "cancel", job.id, "--reason", "no longer wanted")
        ended = tenure_client.wait_job(job.id, 30)

    assert cancelled["results"][0]["job"]["directive"] == "CANCEL"
    assert (ended.state, ended.cancel_reason) == ("cancelled", "no longer wanted")
    assert bye.exists()


def test_a_worker_told_to_stop_lets_its_command_end(
    tenure_server: TenureServer, tenure_client: tenure.Client, queue: str, tmp_path: Path
) -> None:
    ready, gate = tmp_path / "ready", tmp_path / "gate"
    os.mkfifo(ready)
    os.mkfifo(gate)
    job = tenure_client.create_job(queue).job
    source = f"open({str(ready)!r}, 'w').close(); print(open({str(gate)!r}).read())"
    with working(tenure_server, queue, source) as worker:
        ready.read_text()
        worker.send_signal(signal.SIGTERM)
        gate.write_text("done")
        worker.wait(30)

    assert worker.returncode == 0
    assert tenure_client.get_job(job.id).state == "succeeded"


def test_a_paused_queue_hands_out_nothing_until_it_is_resumed(ask: Asked, queue: str) -> None:
    ask("jobs", "create", "--queue", queue)

    assert ask("queues", "pause", queue)["queue"]["paused"] is True
    assert ask("queues", "show", queue)["queue"]["ready"] == 1
    assert queue in [found["name"] for found in ask("queues", "list")["queues"]]
    assert ask("queues", "limit", queue, "3")["queue"]["max_active"] == 3
    assert ask("queues", "limit", queue, "none")["queue"]["max_active"] is None
    assert ask("queues", "resume", queue)["queue"]["paused"] is False


def test_a_job_is_steered_through_its_life(ask: Asked, queue: str) -> None:
    job_id = ask("jobs", "create", "--queue", queue, "--label", "a=b")["job"]["id"]

    def state_after(verb: str, *options: str) -> str:
        return str(ask("jobs", verb, job_id, *options)["results"][0]["job"]["state"])

    assert state_after("pause") == "paused"
    assert state_after("resume") == "pending"
    assert state_after("update", "--priority", "5", "--label", "c=d", "--pin") == "pending"
    assert state_after("cancel") == "cancelled"
    assert state_after("retry") == "pending"
    assert state_after("cancel") == "cancelled"
    assert state_after("delete") == "cancelled"
    assert ask("jobs", "list", "--queue", queue)["jobs"] == []
    assert len(ask("jobs", "list", "--queue", queue, "--deleted")["jobs"]) == 1
    assert state_after("undelete") == "cancelled"
    [job] = ask("jobs", "list", "--queue", queue, "--label", "c=d", "--pinned", "--phase", "cancelled")[
        "jobs"
    ]
    assert (job["priority"], job["pinned"], job["labels"]) == (5, True, {"c": "d"})


def test_an_idempotency_key_makes_one_job(ask: Asked, queue: str) -> None:
    create = ("jobs", "create", "--queue", queue, "--idempotency-key", queue)

    first, second = ask(*create), ask(*create)

    assert (first["created"], second["created"]) == (True, False)
    assert first["job"]["id"] == second["job"]["id"]


def test_long_lists_go_on_where_they_ended(ask: Asked, tenure_client: tenure.Client, queue: str) -> None:
    tenure_client.create_jobs(tenure.NewJob(queue=queue) for _ in range(7))

    first = ask("jobs", "list", "--queue", queue, "--limit", "4")
    rest = ask("jobs", "list", "--queue", queue, "--limit", "4", "--page-token", first["next_page_token"])

    assert len({job["id"] for job in first["jobs"] + rest["jobs"]}) == 7
    assert rest["next_page_token"] == ""


def test_watching_a_job_ends_with_it(
    run: Run, tenure_client: tenure.Client, tenure_server: TenureServer, queue: str
) -> None:
    job = tenure_client.create_job(queue).job
    tenure_client.cancel(job.id)

    ran = run("jobs", "watch", job.id, "--server", tenure_server.target)

    assert ran.code == 1
    assert re.findall(r" (\w+): ", ran.out) == ["created", "cancelled"]


@pytest.mark.parametrize(
    "arguments,reason",
    [
        (("jobs", "show", "01890a5d-ac96-774b-bcce-b302099a8057"), "JOB_NOT_FOUND"),
        (("jobs", "show", "no-uuid"), "INVALID_FIELD"),
        (("jobs", "create", "--lifecycle", "none"), "LIFECYCLE_NOT_FOUND"),
        (("jobs", "cancel", "01890a5d-ac96-774b-bcce-b302099a8057"), "JOB_NOT_FOUND"),
    ],
)
def test_what_the_server_refuses_is_one_line_with_its_reason(
    arguments: tuple[str, ...], reason: str, run: Run, tenure_server: TenureServer
) -> None:
    ran = run("--server", tenure_server.target, *arguments)

    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(f"error: {reason}: .+\n", ran.err)


def test_a_payload_larger_than_allowed_is_refused_by_the_server(
    run: Run, tenure_server: TenureServer, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(b"x" * 2_000_000)

    ran = run("--server", tenure_server.target, "jobs", "create", "--payload-file", str(tmp_path / "large"))

    assert ran.code == 1
    assert "INVALID_FIELD" in ran.err
