"""What a demonstration worker writes down about the leases it was given, for its parent to read."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tenure


@dataclass(frozen=True, slots=True)
class JournalledLease:
    """A lease that a worker had begun to work under."""

    job_id: str
    fence: int
    token: bytes


class Journal:
    """A file that only its owner may read, for it has tokens; a line is written at once or not at all."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def write(self, job: "tenure.RunningJob") -> None:
        entry = {"job_id": job.id, "fence": job.fence, "token": job.lease.token.hex()}
        os.write(self._file, (json.dumps(entry) + "\n").encode())


def read_journal(path: Path) -> Mapping[str, JournalledLease]:
    """Return the last lease of each job; a line the writer died in is left out."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    leases: dict[str, JournalledLease] = {}
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):
            entry = json.loads(line)
            lease = JournalledLease(entry["job_id"], entry["fence"], bytes.fromhex(entry["token"]))
            leases[lease.job_id] = lease
    return leases
