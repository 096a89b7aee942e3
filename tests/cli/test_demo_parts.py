"""The parts of the demonstration, without a server."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import tenure
from tenure import Transitioned
from tenure.errors import IllegalTransition, LeaseLost, Unavailable
from tenure_server.demo.accidents import LateWrites, Toll
from tenure_server.demo.creation import Created, create_jobs
from tenure_server.demo.data_place import start_anew
from tenure_server.demo.files import SourceFile, default_directories, find_files, queue_of
from tenure_server.demo.journal import JournalledLease, read_journal
from tenure_server.demo.manifest import verdict
from tenure_server.demo.report import History, Report
from tenure_server.demo.view import PlainView, Standing, View
from tenure_server.postgres import PostgresError
from tenure_server.postgres.directory_lock import locked
from tests.cli.jobs import job


@pytest.fixture
def files(tmp_path: Path) -> list[SourceFile]:
    """Three small files."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name * 100)
    return find_files([tmp_path], 100)


def test_only_regular_files_that_can_be_named_are_taken(tmp_path: Path) -> None:
    for folder in ("kept", "__pycache__", "site-packages", "kept/.git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "kept/file")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))).touch()

    found = find_files([tmp_path], 100)

    assert [Path(file.path).relative_to(tmp_path).as_posix() for file in found] == ["empty", "kept/file"]


def test_the_limit_is_kept_over_several_directories(tmp_path: Path) -> None:
    for name in ("a/1", "a/2", "b/1", "b/2"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert len(find_files([tmp_path / "a", tmp_path / "b"], 3)) == 3


def test_there_are_thousands_of_files_to_work_on_by_default() -> None:
    assert len(find_files(default_directories(), 2500)) >= 2000


def test_a_changed_file_is_another_job(files: list[SourceFile]) -> None:
    before = files[0]

    assert replace(before).key == before.key
    assert len({before.key, replace(before, size=1).key, replace(before, mtime_ns=1).key}) == 3
    assert SourceFile.of(before.payload()) == before


def test_each_directory_has_its_queue() -> None:
    assert queue_of([Path("/a")]) == queue_of([Path("/a")]) != queue_of([Path("/b")])


def test_a_line_of_the_journal_cut_off_by_death_is_left_out(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_text('{"job_id":"1","fence":1,"token":"aa"}\n{"job_id":"1","fence":2,"token":"bb"}\n{"job')

    assert read_journal(journal) == {"1": JournalledLease("1", 2, b"\xbb")}
    assert read_journal(tmp_path / "none") == {}


class Refusing:
    """A server that answers late writes in a given way."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def transition(self, *_: object, **__: object) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def save_checkpoint(self, *_: object) -> object:
        raise LeaseLost("gone")

    renew = save_checkpoint


@pytest.mark.parametrize(
    "answer,refused,accepted",
    [
        (LeaseLost("gone"), 3, 0),
        (IllegalTransition("the job is over"), 3, 0),
        (Transitioned(job(), True, ()), 2, 0),
        (Transitioned(job(), False, ()), 2, 1),
    ],
)
def test_late_writes_are_counted_by_what_they_changed(answer: object, refused: int, accepted: int) -> None:
    toll = Toll()
    late = LateWrites(cast("tenure.Client", Refusing(answer)), [JournalledLease("1", 1, b"t")])

    assert late.happen(toll, View())

    assert (toll.late_writes_refused, toll.late_writes_accepted) == (refused, accepted)


def test_a_late_write_the_server_could_not_answer_is_made_again() -> None:
    server = Refusing(Unavailable("not now"))
    toll = Toll()
    late = LateWrites(cast("tenure.Client", server), [JournalledLease("1", 1, b"t")])

    with pytest.raises(Unavailable):
        late.happen(toll, View())
    server.answer = LeaseLost("gone")

    assert late.happen(toll, View())
    assert toll.late_writes_refused == 3


class Creating:
    """A server that knows some keys already."""

    def __init__(self, *known: str) -> None:
        self._known = known

    def create_jobs(self, jobs: Any) -> list[tenure.CreateResult]:
        return [
            tenure.CreateResult("1", new.idempotency_key not in self._known, "succeeded", 1) for new in jobs
        ]


def test_what_was_created_before_is_told_apart(files: list[SourceFile]) -> None:
    client = cast("tenure.Client", Creating(files[0].key))

    assert create_jobs(client, "q", files) == Created(2, 1, 0)


def report(**facts: Any) -> Report:
    """A perfect run of ten files, unless said otherwise."""
    usual = Report.of(
        created=Created(10, 0, 10),
        verdict=verdict([], []),
        history=History(10, 1, 1, 1),
        toll=Toll(late_writes_refused=3),
        seconds=2.0,
    )
    return replace(usual, **facts)


def test_a_perfect_run_has_no_problems() -> None:
    assert report().perfect
    assert list(report().problems()) == []
    assert dict(report().rows())["pace, accidents included"] == "5 jobs/s"


@pytest.mark.parametrize(
    "facts,sentence",
    [
        ({"missing": list("abcdefg")}, "missing results: 7 (a, b, c, d, e and 2 more)"),
        ({"doubled": ["a"]}, "doubled results: 1 (a)"),
        ({"wrong": ["a"]}, "wrong results: 1 (a)"),
        ({"late_writes_accepted": 1}, "late writes accepted: 1"),
    ],
)
def test_whatever_is_not_as_promised_is_told(facts: dict[str, Any], sentence: str) -> None:
    assert not report(**facts).perfect
    assert list(report(**facts).problems()) == [sentence]


def test_plain_lines_tell_how_far_the_run_is(capsys: pytest.CaptureFixture[str]) -> None:
    view = PlainView()

    view.show(Standing(10, 4, 2))
    view.show(Standing(10, 3, 2))

    [line] = capsys.readouterr().out.splitlines()
    assert "4 waiting, 2 active, 4 done" in line


def test_starting_anew_removes_the_jobs_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    (place / "cluster").mkdir(parents=True)
    (place / "lock").touch()
    (place / "mine").touch()

    start_anew(place)

    assert sorted(path.name for path in place.iterdir()) == ["lock", "mine"]
    start_anew(tmp_path / "never used")


def test_jobs_in_use_are_not_removed(tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()

    with locked(tmp_path / "lock"), pytest.raises(PostgresError, match="in use by process"):
        start_anew(tmp_path)

    assert (tmp_path / "cluster").exists()
