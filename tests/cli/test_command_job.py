"""`tenure work`: one process per job."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import tenure
from tenure_server.cli.command_job import CommandFailed, CommandJobs
from tests.cli.conftest import Run

SLEEPS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).mkdir(); time.sleep(60)"
IGNORES_SIGTERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + SLEEPS
# Left by os._exit: a SystemExit may come while something else is cleaned up, and be ignored there.
SAYS_GOOD_BYE = f"""
import os, pathlib, signal, sys
signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path(sys.argv[1], "bye").touch(), os._exit(0)))
{SLEEPS}
"""
HAS_A_CHILD = (
    f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SAYS_GOOD_BYE!r}, sys.argv[1]])"
)


def running(**facts: Any) -> tenure.RunningJob:
    """A job as a handler gets it."""
    usual = {
        "id": "1", "queue": "mail", "kind": "", "attempt": 1, "fence": 1, "labels": {}, "content_type": "",
        "payload": b"",
    }  # fmt: skip
    return cast("tenure.RunningJob", SimpleNamespace(**{**usual, **facts}))


def python(source: str, *arguments: object, kill_after: float = 30) -> CommandJobs:
    """A command that runs this program."""
    return CommandJobs([sys.executable, "-c", source, *map(str, arguments)], kill_after)


async def result_of(source: str, **facts: Any) -> tenure.Document | None:
    return await python(source).run(running(**facts))


async def until_there(path: Path) -> None:
    while not path.exists():  # noqa: ASYNC110  # another process makes it
        await asyncio.sleep(0.01)


async def test_the_payload_is_the_input_and_the_output_is_the_result() -> None:
    result = await result_of("import sys; sys.stdout.write(sys.stdin.read().upper())", payload=b"hello")

    assert result == tenure.Document(b"HELLO", "text/plain; charset=utf-8")


async def test_a_command_need_not_read_its_input() -> None:
    assert await result_of("pass", payload=b"x" * 1024 * 1024) is None


@pytest.mark.parametrize(
    "printed,content_type",
    [
        (b'{"a": 1}', "application/json"),
        (b"words", "text/plain; charset=utf-8"),
        (b"\xff\xfe", "application/octet-stream"),
    ],
)
async def test_the_result_has_a_fitting_type(printed: bytes, content_type: str) -> None:
    result = await result_of(f"import sys; sys.stdout.buffer.write({printed!r})")

    assert result == tenure.Document(printed, content_type)


async def test_the_command_finds_the_facts_of_its_job_in_its_environment() -> None:
    source = "import os, json; print(json.dumps({k: v for k, v in os.environ.items() if 'TENURE_JOB' in k}))"
    facts = {"id": "7", "queue": "mail", "kind": "send", "attempt": 2, "fence": 3, "labels": {"a": "b"}}

    result = await result_of(source, content_type="text/plain", **facts)

    assert result is not None
    assert result.json() == {
        "TENURE_JOB_ID": "7",
        "TENURE_JOB_QUEUE": "mail",
        "TENURE_JOB_KIND": "send",
        "TENURE_JOB_ATTEMPT": "2",
        "TENURE_JOB_FENCE": "3",
        "TENURE_JOB_LABELS": '{"a": "b"}',
        "TENURE_JOB_CONTENT_TYPE": "text/plain",
    }


@pytest.mark.parametrize("code", [1, 75, 255])
async def test_a_failed_command_is_a_failed_attempt(code: int) -> None:
    with pytest.raises(CommandFailed, match=f"exit code {code}"):
        await result_of(f"import sys; sys.exit({code})")


async def test_a_command_ended_by_a_signal_is_a_failed_attempt() -> None:
    with pytest.raises(CommandFailed, match="signal SIGKILL"):
        await result_of("import os; os.kill(os.getpid(), 9)")


async def test_exit_code_100_means_never_again() -> None:
    with pytest.raises(tenure.Reject, match="exit code 100") as rejected:
        await result_of("import sys; sys.exit(100)")
    assert rejected.value.code == "command_rejected"


async def test_a_result_of_one_mebibyte_is_taken_and_a_byte_more_is_not() -> None:
    result = await result_of("import sys; sys.stdout.write('x' * 1048576)")
    assert result is not None
    assert len(result.content) == 1024 * 1024

    with pytest.raises(tenure.Reject, match="more than 1 MiB"):
        await result_of("import sys; sys.stdout.write('x' * 1048577)")


async def test_a_command_that_prints_without_end_is_stopped() -> None:
    with pytest.raises(tenure.Reject, match="more than 1 MiB"):
        await result_of("while True: print('x' * 1000)")


async def test_a_command_that_cannot_be_run_is_a_failed_attempt() -> None:
    with pytest.raises(CommandFailed, match="cannot be run: No such file"):
        await CommandJobs(["/nowhere/command"], 1).run(running())


async def test_cancelling_sends_sigterm_and_waits_for_the_end(tmp_path: Path) -> None:
    there = tmp_path / "there"
    work = asyncio.create_task(python(SAYS_GOOD_BYE, there).run(running()))
    await until_there(there)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert (there / "bye").exists()


async def test_cancelling_again_does_not_hurry_the_command(tmp_path: Path) -> None:
    there = tmp_path / "there"
    work = asyncio.create_task(python(SAYS_GOOD_BYE, there).run(running()))
    await until_there(there)

    for _ in range(5):
        work.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await work

    assert (there / "bye").exists()


async def test_a_command_that_is_just_being_started_is_stopped_as_well(tmp_path: Path) -> None:
    jobs = python(SLEEPS, tmp_path / "there")
    work = asyncio.create_task(jobs.run(running()))
    await asyncio.sleep(0)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert jobs.kill_all() == 0


async def test_a_command_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    there = tmp_path / "there"
    work = asyncio.create_task(python(IGNORES_SIGTERM, there, kill_after=0.1).run(running()))
    await until_there(there)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_the_signal_reaches_the_children_of_the_command(tmp_path: Path) -> None:
    there = tmp_path / "there"
    jobs = python(HAS_A_CHILD, there)
    work = asyncio.create_task(jobs.run(running()))
    await until_there(there)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert (there / "bye").exists()


async def test_what_still_runs_at_the_end_is_killed(tmp_path: Path) -> None:
    there = tmp_path / "there"
    jobs = python(IGNORES_SIGTERM, there)
    work = asyncio.create_task(jobs.run(running()))
    await until_there(there)

    while not jobs.kill_all():  # noqa: ASYNC110  # it runs before the worker has taken note of it
        await asyncio.sleep(0.01)
    with pytest.raises(CommandFailed, match="SIGKILL"):
        await work


def test_the_worker_is_set_up_as_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(tenure, "Worker", lambda target, **options: FakeWorker(made, target, options))

    ran = run(
        "work", "--queue", "a", "--queue", "b", "--kind", "x", "--concurrency", "4", "--lease", "5s",
        "--server", "unix:/s", "--", sys.executable, "--version",
    )  # fmt: skip

    assert ran.code == 0
    assert made["target"] == "unix:/s"
    assert made["queues"] == ("a", "b")
    assert made["concurrency"] == 4
    assert made["lease_duration"].total_seconds() == 5
    assert made["kinds"] == ["x"]


class FakeWorker:
    """Notes what it is told and works on nothing."""

    def __init__(self, made: dict[str, Any], target: str, options: dict[str, Any]) -> None:
        self._made = made
        made.update(options, target=target, kinds=[])

    def handler(self, *, kind: str | None) -> Any:
        self._made["kinds"].append(kind)
        return lambda function: function

    def run(self) -> None:
        return None


def test_a_command_that_is_none_is_wrong_usage(run: Run) -> None:
    ran = run("work", "--", "no-such-command-anywhere")

    assert ran.code == 2
    assert "no-such-command-anywhere is no program that can be run." in ran.err
    assert ran.out == ""
