"""What the history of jobs must look like whatever happened to servers and workers."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

Outside = psycopg.AsyncConnection[Any]

ENDS_A_LEASE = frozenset(
    {"MOVED", "ATTEMPT_FAILED", "RELEASED", "EXPIRED", "CANCELLED", "DEADLINE_PASSED", "PAUSED"}
)
FINAL = frozenset({"succeeded", "failed", "cancelled"})


class Line(NamedTuple):
    """One event as it is stored."""

    job_id: str
    version: int
    step: int
    from_state: str
    to_state: str
    reason: str
    fence: int
    attempt: int
    time: datetime


async def read_history(outside: Outside) -> dict[str, list[Line]]:
    """The events of every job, in the order of its versions."""
    cursor = await outside.execute("""
        SELECT job_id::text, version, step, from_state, to_state, reason, fence, attempt, time
          FROM job_event ORDER BY job_id, version, step
    """)
    history: dict[str, list[Line]] = defaultdict(list)
    for row in await cursor.fetchall():
        history[row[0]].append(Line(*row))
    return history


def check_leases(lines: Iterable[Line]) -> int:
    """Assert that one job had one holder at a time, each with a larger fence; returns the last fence."""
    told = list(lines)
    held, fence, attempts = False, 0, set[int]()
    assert [line.time for line in told] == sorted(line.time for line in told), "time went back"
    for line in told:
        if line.reason == "ACQUIRED":
            assert not held, f"granted while it was held: {line}"
            assert line.fence > fence, f"the fence did not grow: {line}"
            assert line.attempt not in attempts, f"an attempt was granted twice: {line}"
            held, fence = True, line.fence
            attempts.add(line.attempt)
        elif line.reason in ENDS_A_LEASE:
            held = False
            if line.reason == "RELEASED":
                attempts.discard(line.attempt)  # given back unstarted: the same attempt is granted again
    return fence


def check_ends_once(lines: Iterable[Line]) -> None:
    """Assert that the job ended, and that nothing followed."""
    told = list(lines)
    ends = [line for line in told if line.to_state in FINAL and line.from_state != line.to_state]
    assert len(ends) == 1, ends
    assert told[-1] == ends[0], told


async def deadlocks(outside: Outside) -> int:
    """How many deadlocks this database has seen. Ends all other connections, which only then tell."""
    await outside.execute("""
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
    """)
    await outside.execute("SELECT pg_stat_clear_snapshot()")
    cursor = await outside.execute(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    )
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])
