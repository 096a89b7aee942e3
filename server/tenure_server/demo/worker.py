"""One worker process of the demonstration: `python -m tenure_server.demo.worker …`."""

import argparse
import logging
from pathlib import Path
from typing import Any

import tenure
from tenure_server.demo.file_facts import file_facts
from tenure_server.demo.files import SourceFile
from tenure_server.demo.journal import Journal


def run(target: str, queue: str, holder: str, journal_file: Path, lease: float, concurrency: int) -> None:
    """Work until told to stop."""
    worker = tenure.Worker(
        target, queues=[queue], holder=holder, lease_duration=lease, concurrency=concurrency, grace=lease
    )
    journal = Journal(journal_file)

    @worker.handler
    def compress(job: tenure.RunningJob) -> dict[str, Any]:
        journal.write(job)
        file = SourceFile.of(job.json())
        job.progress("reading", 0, file.size)
        if SourceFile.at(file.path) != file:
            raise tenure.Reject(f"{file.path} changed after its job was created", code="file_changed")
        return file_facts(file.path, file.size, job.progress)

    worker.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("target", "queue", "holder"):
        parser.add_argument(name)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--lease", type=float, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    given = parser.parse_args()
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
    run(given.target, given.queue, given.holder, given.journal, given.lease, given.concurrency)


if __name__ == "__main__":
    main()
