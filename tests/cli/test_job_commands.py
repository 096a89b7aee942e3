"""`tenure jobs …`: what is asked of the client, and what is printed of its answers."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from tenure import Created, Directive, Page, Phase, RetryPolicy, Visibility, Watched
from tenure.errors import JobTerminal
from tests.cli.conftest import FakeClient, Run
from tests.cli.jobs import JOB_ID, T0, event, job

Client = type[FakeClient]


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
        "jobs", "create", "--queue", "mail", "--kind", "welcome", "--payload", '{"to": "a"}', "--label",
        "a=b", "--priority", "-5", "--schedule", "5m", "--max-attempts", "3", "--retry-delay", "2s",
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
