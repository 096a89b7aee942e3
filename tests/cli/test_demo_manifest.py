"""The work of the demonstration and the proof that it was done."""

import gzip
import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure import Document, Phase
from tenure.model.document import document
from tenure_server.demo.file_facts import file_facts
from tenure_server.demo.files import SourceFile, find_files
from tenure_server.demo.manifest import verdict
from tests.cli.jobs import job


@pytest.fixture
def files(tmp_path: Path) -> list[SourceFile]:
    """Three small files."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name * 100)
    return find_files([tmp_path], 100)


def done(file: SourceFile, **facts: Any) -> tenure.Job:
    """The job of a file, succeeded with the right result unless said otherwise."""
    result = {**file_facts(file.path, file.size), **facts}
    documents = {name: document(value) for name, value in
                 (("payload", file.payload()), ("result", result))}  # fmt: skip
    return job(phase=Phase.SUCCEEDED, **documents)


def test_the_facts_of_a_file_are_those_of_hashlib_and_gzip(tmp_path: Path) -> None:
    content = os.urandom(3_000_000) + b"x" * 1_000_000
    (tmp_path / "file").write_bytes(content)
    heard: list[tuple[str, int, int]] = []

    facts = file_facts(str(tmp_path / "file"), len(content), lambda *report: heard.append(report))

    assert facts["sha256"] == hashlib.sha256(content).hexdigest()
    assert facts["bytes"] == len(content)
    assert facts["gzip_bytes"] == len(gzip.compress(content, 6, mtime=0))
    assert heard[-1] == ("compressing", len(content), len(content))


def test_small_files_report_nothing(files: list[SourceFile]) -> None:
    heard: list[object] = []

    file_facts(files[0].path, files[0].size, lambda *report: heard.append(report))

    assert heard == []


def test_right_results_are_found_right(files: list[SourceFile]) -> None:
    found = verdict(files, [done(file) for file in files])

    assert (found.matching, found.perfect) == (3, True)


def test_a_missing_a_doubled_and_a_wrong_result_are_told_apart(files: list[SourceFile]) -> None:
    first, second, third = files

    found = verdict(files, [done(first), done(first), done(second, sha256="0")])

    assert not found.perfect
    assert (found.missing, found.doubled, found.wrong) == ([third.path], [first.path], [second.path])


def test_a_job_that_did_not_succeed_counts_as_missing(files: list[SourceFile]) -> None:
    failed = replace(done(files[0]), phase=Phase.FAILED)

    assert verdict(files[:1], [failed]).missing == [files[0].path]


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b'{"path": 1}'])
def test_a_result_that_is_none_is_wrong(content: bytes, files: list[SourceFile]) -> None:
    spoilt = replace(done(files[0]), result=Document(content, "application/json"))

    assert verdict(files[:1], [spoilt]).wrong == [files[0].path]


def test_jobs_of_other_runs_are_left_out(files: list[SourceFile]) -> None:
    foreign = [job(payload=None), job(payload=Document(b"?")), job(payload=Document(b"{}"))]
    older = done(replace(files[0], mtime_ns=1))

    assert verdict(files, [*(done(file) for file in files), *foreign, older]).perfect


def test_a_file_that_changed_meanwhile_proves_nothing(files: list[SourceFile]) -> None:
    jobs = [done(file) for file in files]
    Path(files[0].path).write_text("changed")

    found = verdict(files, jobs)

    assert (found.changed, found.matching, found.perfect) == ([files[0].path], 2, True)
