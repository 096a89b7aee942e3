"""The proof: what the server has stored against what is computed without it."""

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import tenure
from tenure_server.demo.file_facts import file_facts
from tenure_server.demo.files import SourceFile

_TOGETHER = 64

Facts = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The files whose results are not as they must be, and those that changed and prove nothing."""

    matching: int
    missing: Sequence[str]
    doubled: Sequence[str]
    wrong: Sequence[str]
    changed: Sequence[str]

    @property
    def perfect(self) -> bool:
        return not (self.missing or self.doubled or self.wrong)


def verdict(files: Iterable[SourceFile], jobs: Iterable["tenure.Job"]) -> Verdict:
    """Compare each file's result with a direct computation, made in processes of its own."""
    wanted = {file.key: file for file in files}
    changed = {key for key, file in wanted.items() if SourceFile.at(file.path) != file}
    expected = direct([file for key, file in wanted.items() if key not in changed])
    stored, counts = _stored(jobs, expected)
    return Verdict(
        matching=sum(stored.get(key) == facts for key, facts in expected.items()),
        missing=[wanted[key].path for key in expected if stored.get(key) is None],
        doubled=[wanted[key].path for key, count in counts.items() if count > 1],
        wrong=[wanted[key].path for key, facts in expected.items() if stored.get(key) not in (None, facts)],
        changed=[wanted[key].path for key in changed],
    )


def direct(files: Sequence[SourceFile]) -> dict[str, Facts]:
    """Compute the facts of all files with every processor there is."""
    processes = min(os.cpu_count() or 1, 1 + len(files) // _TOGETHER)
    # Spawned: a fork would copy the state of a gRPC client that has threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        found = pool.map(_facts, files, chunksize=_TOGETHER)
        return {file.key: facts for file, facts in zip(files, found, strict=True)}


def _facts(file: SourceFile) -> dict[str, Any]:
    return file_facts(file.path, file.size)


def _stored(
    jobs: Iterable["tenure.Job"], expected: Mapping[str, Facts]
) -> tuple[dict[str, Facts], Counter[str]]:
    """Return the results by key, and how many jobs there are for each; other runs' jobs are left out."""
    stored: dict[str, Facts] = {}
    counts: Counter[str] = Counter()
    for job in jobs:
        key = _key(job)
        if key in expected:
            counts[key] += 1
            stored[key] = _result(job)
    return stored, counts


def _key(job: "tenure.Job") -> str:
    try:
        return SourceFile.of(job.payload.json()).key if job.payload is not None else ""
    except (ValueError, KeyError, TypeError):
        return ""


def _result(job: "tenure.Job") -> Facts:
    if job.result is None or job.phase is not tenure.Phase.SUCCEEDED:
        return None
    try:
        found = json.loads(job.result.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
