"""One job per file, created once however often that is asked for."""

from collections.abc import Sequence
from typing import NamedTuple

import tenure
from tenure.errors import TenureError
from tenure_server.demo.files import SourceFile

_BATCH = 500
_ENDED = frozenset({"succeeded", "failed", "cancelled"})


class Created(NamedTuple):
    """How many jobs are new, how many were there before, and how many of both are still to be done."""

    new: int
    replayed: int
    pending: int


def create_jobs(client: "tenure.Client", queue: str, files: Sequence[SourceFile]) -> Created:
    """Create the jobs in batches; raises TenureError when one is refused."""
    results: list[tenure.CreateResult] = []
    for start in range(0, len(files), _BATCH):
        for result in client.create_jobs(_new_job(queue, file) for file in files[start : start + _BATCH]):
            if isinstance(result, TenureError):
                raise result
            results.append(result)
    new = sum(result.created for result in results)
    pending = sum(result.state not in _ENDED for result in results)
    return Created(new, len(results) - new, pending)


def _new_job(queue: str, file: SourceFile) -> "tenure.NewJob":
    return tenure.NewJob(
        queue=queue,
        kind="compress",
        payload=file.payload(),
        idempotency_key=file.key,
        retry=tenure.RetryPolicy(max_attempts=20, initial_delay=0.1, max_delay=1.0),
    )
