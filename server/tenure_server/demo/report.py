"""What is told at the end: the totals, and whether everything was as promised."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import tenure
from tenure_server.demo.accidents import Toll
from tenure_server.demo.creation import Created
from tenure_server.demo.manifest import Verdict

_NAMED_AT_MOST = 5


class History(NamedTuple):
    """What the jobs' own records say."""

    succeeded: int
    tried_again: int
    leases_expired: int
    recovered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of a run; `seconds` is from the first creation to the last result."""

    files: int
    created: int
    replayed: int
    worked_on: int
    succeeded: int
    tried_again: int
    leases_expired: int
    recovered: int
    workers_killed: int
    servers_restarted: int
    late_writes_refused: int
    late_writes_accepted: int
    seconds: float
    jobs_per_second: float
    matching: int
    missing: Sequence[str]
    doubled: Sequence[str]
    wrong: Sequence[str]
    changed: Sequence[str]

    @classmethod
    def of(cls, *, created: Created, verdict: Verdict, history: History, toll: Toll, seconds: float) -> Self:
        return cls(
            files=created.new + created.replayed,
            created=created.new,
            replayed=created.replayed,
            worked_on=created.pending,
            succeeded=history.succeeded,
            tried_again=history.tried_again,
            leases_expired=history.leases_expired,
            recovered=history.recovered,
            workers_killed=toll.workers_killed,
            servers_restarted=toll.servers_restarted,
            late_writes_refused=toll.late_writes_refused,
            late_writes_accepted=toll.late_writes_accepted,
            seconds=round(seconds, 3),
            jobs_per_second=round(created.pending / seconds, 1) if created.pending else 0.0,
            matching=verdict.matching,
            missing=verdict.missing,
            doubled=verdict.doubled,
            wrong=verdict.wrong,
            changed=verdict.changed,
        )

    @property
    def perfect(self) -> bool:
        """Whether no entry is missing, doubled or wrong and no late write was accepted."""
        return not (self.missing or self.doubled or self.wrong or self.late_writes_accepted)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield what to show, line by line."""
        yield "files", f"{self.files:,}"
        yield "jobs created", f"{self.created:,}"
        yield "jobs found from an earlier run", f"{self.replayed:,}"
        yield "jobs worked on", f"{self.worked_on:,}"
        yield "jobs succeeded", f"{self.succeeded:,}"
        yield "jobs that took more than one attempt", f"{self.tried_again:,}"
        yield "leases that ran out", f"{self.leases_expired:,}"
        yield "of these recovered by another worker", f"{self.recovered:,}"
        yield "late writes refused", f"{self.late_writes_refused:,}"
        yield "workers killed with -9", f"{self.workers_killed:,}"
        yield "servers killed with -9 and restarted", f"{self.servers_restarted:,}"
        yield "time", f"{self.seconds:.1f} s"
        if self.worked_on:
            yield "pace, accidents included", f"{self.jobs_per_second:,.0f} jobs/s"
        yield (
            "results equal to a direct computation",
            f"{self.matching:,} of {self.files - len(self.changed):,}",
        )

    def problems(self) -> Iterator[str]:
        """Yield a sentence for whatever was not as promised, and for what proves nothing."""
        for what, paths in (("missing", self.missing), ("doubled", self.doubled), ("wrong", self.wrong)):
            if paths:
                yield f"{what} results: {len(paths):,} ({_named(paths)})"
        if self.late_writes_accepted:
            yield f"late writes accepted: {self.late_writes_accepted:,}"
        if self.changed:
            yield f"files changed meanwhile, not compared: {len(self.changed):,} ({_named(self.changed)})"


def what_happened(client: "tenure.Client", jobs: Sequence["tenure.Job"]) -> History:
    """Read from the jobs' histories which leases ran out and what became of those jobs."""
    expired = recovered = 0
    for job in jobs:
        if job.fence > 1:
            events = client.list_job_events(job.id)
            ran_out = sum(event.reason is tenure.JobEventReason.EXPIRED for event in events)
            expired += ran_out
            recovered += ran_out if job.phase is tenure.Phase.SUCCEEDED else 0
    succeeded = [job for job in jobs if job.phase is tenure.Phase.SUCCEEDED]
    return History(len(succeeded), sum(job.attempt > 1 for job in succeeded), expired, recovered)


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED_AT_MOST
    return ", ".join(paths[:_NAMED_AT_MOST]) + (f" and {more:,} more" if more > 0 else "")
