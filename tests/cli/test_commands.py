import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from tenure import Created, Directive, Page, Phase, Queue, RetryPolicy, Visibility, Watched
from tenure.errors import JobNotFound, JobTerminal, Unavailable
from tests.cli.conftest import FakeClient, Run
from tests.cli.jobs import JOB_ID, T0, event, job

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


def test_jobs_are_listed_page_by_page_up_to_the_limit(run: Run, client: Client) -> None:
    client.answers["list_jobs_page"] = [Page([job()] * 500, "next"), Page([job()] * 100, "more")]

    ran = run("jobs", "list", "--limit", "600", "--json")

    assert len(json.loads(ran.out)["jobs"]) == 600
    assert json.loads(ran.out)["next_page_token"] == "more"
    sizes = [options["page_size"] for name, _, options in client.calls if name == "list_jobs_page"]
    assert sizes == [500, 100]


def test_lists_filter_by_what_is_given_and_nothing_else(run: Run, client: Client) -> None:
    client.answers["list_jobs_page"] = Page([], "")
    client.answers["server_info"] = SimpleNamespace(database_time=T0)

    run(
        "jobs", "list", "--queue", "mail", "--phase", "failed", "--state", "failed", "--label", "a=b=c",
        "--created-from", "1h", "--created-before", "2026-01-01T00:00:00+02:00", "--not-pinned", "--deleted",
    )  # fmt: skip

    _, options = client.call("list_jobs_page")
    assert options == {
        "full": False,
        "page_size": 50,
        "page_token": "",
        "queue": "mail",
        "phases": [Phase.FAILED],
        "states": ("failed",),
        "labels": {"a": "b=c"},
        "created_from": T0 - timedelta(hours=1),
        "created_before": datetime(2025, 12, 31, 22, tzinfo=UTC),
        "pinned": False,
        "visibility": Visibility.HIDDEN,
    }


def test_a_list_for_people_is_a_table(run: Run, client: Client) -> None:
    client.answers["list_jobs_page"] = Page([job(kind="welcome")], "")

    lines = run("jobs", "list").out.splitlines()

    assert lines[0].split() == ["id", "queue", "kind", "state", "attempt", "holder", "progress", "created"]
    assert lines[1].split() == [JOB_ID, "mail", "welcome", "pending", "0", "2026-10-04", "12:00:00Z"]


def test_a_job_is_shown_with_its_history(run: Run, client: Client) -> None:
    client.answers.update(get_job=job(), list_job_events=[[event()], [event()]])

    assert "created: pending" in run("jobs", "show", JOB_ID).out
    shown = json.loads(run("jobs", "show", JOB_ID, "--json").out)
    assert shown["job"]["id"] == shown["events"][0]["job_id"] == JOB_ID


def test_a_job_is_created_from_what_is_given(run: Run, client: Client) -> None:
    client.answers["create_job"] = Created(job(), True)
    client.answers["server_info"] = SimpleNamespace(database_time=T0)

    ran = run(
        "jobs", "create", "--queue", "mail", "--kind", "welcome", "--payload", '{"to": "a"}', "--label", "a=b",
        "--priority", "-5", "--schedule", "5m", "--max-attempts", "3", "--retry-delay", "2s",
        "--idempotency-key", "k", "--json",
    )  # fmt: skip

    _, options = client.call("create_job")
    assert options == {
        "queue": "mail",
        "kind": "welcome",
        "payload": b'{"to": "a"}',
        "content_type": "application/json",
        "labels": {"a": "b"},
        "priority": -5,
        "schedule_time": T0 + timedelta(minutes=5),
        "expire_time": None,
        "retry": RetryPolicy(3, timedelta(seconds=2)),
        "lifecycle": "standard",
        "idempotency_key": "k",
    }
    assert json.loads(ran.out)["created"] is True


@pytest.mark.parametrize(
    "name,content,content_type",
    [("a.json", b"{}", "application/json"), ("a", b"\xff", "application/octet-stream")],
)
def test_a_payload_may_come_from_a_file(
    name: str, content: bytes, content_type: str, run: Run, client: Client, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    client.answers["create_job"] = Created(job(), True)

    run("jobs", "create", "--payload-file", str(tmp_path / name))

    _, options = client.call("create_job")
    assert (options["payload"], options["content_type"]) == (content, content_type)


@pytest.mark.parametrize("state,phase,code", [("succeeded", Phase.SUCCEEDED, 0), ("failed", Phase.FAILED, 1)])
def test_waiting_for_a_new_job_tells_how_it_ended(
    state: str, phase: Phase, code: int, run: Run, client: Client
) -> None:
    ended = job(state=state, phase=phase)
    client.answers.update(create_job=Created(job(), True), wait_job=ended, get_job=ended)

    assert run("jobs", "create", "--wait", "5s").code == code


def test_a_job_that_does_not_end_in_time_is_a_failure(run: Run, client: Client) -> None:
    client.answers.update(create_job=Created(job(), True), wait_job=TimeoutError("too long"), get_job=job())

    ran = run("jobs", "create", "--wait", "1s")

    assert (ran.code, ran.err) == (1, "error: too long\n")


@pytest.mark.parametrize(
    "arguments,method,options",
    [
        (("cancel", "--reason", "wrong"), "cancel", {}),
        (("pause",), "pause", {}),
        (("resume",), "resume", {}),
        (("retry", "--delay", "5s"), "retry", {}),
        (("delete",), "delete_job", {}),
        (("undelete",), "undelete_job", {}),
        (("update", "--pin", "--priority", "3"), "update_job", {"pinned": True, "priority": 3}),
        (("update", "--label", "a=b"), "update_job", {"labels": {"a": "b"}}),
        (("update", "--no-labels"), "update_job", {"labels": {}}),
    ],
)
def test_each_verb_makes_its_call(
    arguments: tuple[str, ...], method: str, options: dict[str, object], run: Run, client: Client
) -> None:
    client.answers[method] = job(directive=Directive.CANCEL)

    ran = run("jobs", *arguments, JOB_ID)

    called, with_options = client.call(method)
    assert called[0] == JOB_ID
    assert options.items() <= with_options.items()
    assert ran.out == f"{JOB_ID}  pending, cancel requested\n"


def test_one_refused_job_does_not_stop_the_others(run: Run, client: Client) -> None:
    client.answers["cancel"] = [JobTerminal("it is over"), job(state="cancelled")]

    ran = run("jobs", "cancel", "first", "second", "--json")

    results = json.loads(ran.out)["results"]
    assert ran.code == 1
    assert [result["job_id"] for result in results] == ["first", "second"]
    assert results[0]["error"]["reason"] == "JOB_TERMINAL"
    assert results[1]["job"]["state"] == "cancelled"


def test_update_without_a_change_is_wrong_usage(run: Run, client: Client) -> None:
    ran = run("jobs", "update", JOB_ID)

    assert ran.code == 2
    assert "say what to change." in ran.err


def test_a_watch_prints_one_document_per_line(run: Run, client: Client) -> None:
    client.answers["watch_jobs"] = iter([Watched(event(), "c1"), Watched(event(version=2), "c2")])

    ran = run("jobs", "watch", "--queue", "mail", "--cursor", "c0", "--json")

    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [(line["event"]["version"], line["cursor"]) for line in lines] == [(1, "c1"), (2, "c2")]
    assert client.call("watch_jobs") == (("c0",), {"queue": "mail"})


def test_watching_one_job_prints_each_event_once_and_ends_with_it(run: Run, client: Client) -> None:
    first, second = event(), event(version=2, to_state="running")
    last = event(version=3, to_state="succeeded")
    client.answers.update(
        get_job=job(),
        wait_job=[TimeoutError("not yet"), job(phase=Phase.SUCCEEDED)],
        list_job_events=[[first], [first, second], [first, second, last]],
    )

    ran = run("jobs", "watch", JOB_ID, "--json")

    versions = [json.loads(line)["event"]["version"] for line in ran.out.splitlines()]
    assert (ran.code, versions) == (0, [1, 2, 3])


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
