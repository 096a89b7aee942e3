"""The demonstration itself, with real processes that are really killed."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres

FILES = 150

# Both cores are busy with it for a while, and others may be as well.
pytestmark = pytest.mark.timeout(240)


@dataclass(frozen=True)
class Place:
    """Some files, and where the demonstration keeps its jobs."""

    files: Path
    data: Path

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the demonstration in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "tenure_server", "demo", str(self.files), "--data-dir", str(self.data),
             *arguments],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def execute(self, *statements: LiteralString) -> None:
        """Change the stored jobs behind the server's back."""
        options = EmbeddedOptions(self.data)
        with EmbeddedPostgres(options) as server, psycopg.connect(server.dsn) as connection:
            for statement in statements:
                connection.execute(statement)


@dataclass(frozen=True)
class Ran:
    """A run's exit code, report and complaints."""

    code: int
    report: dict[str, Any]
    err: str


Tamper = Callable[[LiteralString], Ran]


def report_of(done: "subprocess.CompletedProcess[str]") -> Ran:
    return Ran(done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A hundred and fifty files of up to 200 kB that take gzip some time."""
    folder = Path(tempfile.mkdtemp(prefix="tenure-"))
    folder.chmod(0o755)  # as root, the account PostgreSQL steps down to must get through
    words = random.Random(7)
    (folder / "files").mkdir()
    for number in range(FILES):
        text = "".join(words.choices("abcdefgh \n", k=words.randrange(50_000, 200_000)))
        (folder / "files" / f"{number:03}.txt").write_text(text)
    yield Place(folder / "files", folder / "data")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def first(place: Place) -> Ran:
    """The first run."""
    return report_of(place.run("--json"))


@pytest.fixture(scope="module")
def second(place: Place, first: Ran) -> Ran:
    """Another one right after it."""
    return report_of(place.run("--json"))


@pytest.fixture
def tampered(place: Place, second: Ran) -> Iterator[Tamper]:
    """Changes one result in the database and runs again; afterwards the result is as it was."""
    place.execute(
        """CREATE TABLE kept AS SELECT * FROM job_document WHERE kind = 'result' ORDER BY job_id LIMIT 1"""
    )

    def tamper(change: LiteralString) -> Ran:
        place.execute(f"{change} WHERE kind = 'result' AND job_id = (SELECT job_id FROM kept)")
        return report_of(place.run("--json"))

    yield tamper
    place.execute(
        "DELETE FROM job_document WHERE kind = 'result' AND job_id = (SELECT job_id FROM kept)",
        "INSERT INTO job_document SELECT * FROM kept",
        "DROP TABLE kept",
    )


def test_every_file_is_done_once_though_a_worker_and_the_server_were_killed(first: Ran) -> None:
    assert first.code == 0, first.err
    assert first.report["files"] == first.report["created"] == first.report["worked_on"] == FILES
    assert first.report["succeeded"] == first.report["matching"] == FILES
    assert first.report["workers_killed"] == 1
    assert first.report["servers_restarted"] == 1


def test_what_the_dead_worker_held_was_recovered_and_its_late_writes_were_refused(first: Ran) -> None:
    assert first.report["leases_expired"] == first.report["recovered"] > 0
    assert first.report["tried_again"] > 0
    assert first.report["late_writes_refused"] > 0
    assert first.report["late_writes_accepted"] == 0


def test_a_second_run_replays_every_creation_and_does_no_work(second: Ran) -> None:
    assert second.code == 0, second.err
    assert second.report["created"] == second.report["worked_on"] == 0
    assert second.report["replayed"] == second.report["matching"] == FILES


def test_a_result_changed_in_the_database_makes_the_exit_code_1(tampered: Tamper) -> None:
    wrong = (
        """convert_to(replace(convert_from(content, 'UTF8'), '"gzip_bytes":', '"gzip_bytes":1'), 'UTF8')"""
    )

    ran = tampered(f"UPDATE job_document SET content = {wrong}, sha256 = sha256({wrong})")

    assert ran.code == 1
    assert len(ran.report["wrong"]) == 1
    assert ran.err.startswith("wrong results: 1 (")


def test_a_result_removed_from_the_database_makes_the_exit_code_1(tampered: Tamper) -> None:
    ran = tampered("DELETE FROM job_document")

    assert ran.code == 1
    assert len(ran.report["missing"]) == 1
    assert ran.err.startswith("missing results: 1 (")


def test_a_directory_without_files_is_wrong_usage(tmp_path: Path) -> None:
    ran = Place(tmp_path, tmp_path / "data").run()

    assert ran.returncode == 2
    assert "there is no file to work on" in ran.stderr


def test_a_server_that_cannot_start_is_told_with_its_last_words(place: Place, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")

    ran = Place(place.files, tmp_path / "data").run("--json")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "the server did not start" in ran.stderr
    assert "is a file or a symbolic link" in ran.stderr


def test_a_run_that_is_told_to_stop_leaves_no_process_behind(place: Place) -> None:
    data = place.data.with_name("stopped")
    command = [sys.executable, "-m", "tenure_server", "demo", str(place.files), "--data-dir", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        told = list(takewhile(lambda line: "started 3 workers" not in line, demo.stdout))
        children = [int(pid) for line in told for pid in re.findall(r"process (\d+)", line)]

        demo.send_signal(signal.SIGTERM)
        demo.wait(60)

    assert demo.returncode == 128 + signal.SIGTERM
    assert children
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not (data / "cluster" / "postmaster.pid").exists()
