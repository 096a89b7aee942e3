"""Rounds in which the ways to do the same work take turns, so that a slow minute hits them all."""

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.cycle import Plan, Sample
from benchmarks.echo import measure_echo
from benchmarks.grpc_load import measure_grpc
from benchmarks.place import Place, cpu_seconds
from benchmarks.sql_load import measure_sql

GRPC, SQL, ECHO = "grpc", "sql", "echo"

MICROSECONDS = 1_000_000

Run = Callable[[str, Plan], Sample]


class Workload(NamedTuple):
    """So many callers with so many jobs per call."""

    callers: int
    batch: int

    @property
    def ways(self) -> tuple[str, ...]:
        """An echo says something only of calls with one job."""
        return (SQL, GRPC, ECHO) if self.batch == 1 else (SQL, GRPC)


SINGLE = tuple(Workload(callers, 1) for callers in (1, 64, 200))
BATCHED = tuple(Workload(callers, batch) for batch in (100, 500) for callers in (1, 4))
WORKLOADS = SINGLE + BATCHED


@dataclass
class Measured:
    """The samples of one workload by way, in the order of the rounds.

    `costs` are microseconds of processor time per job: of the measuring process, and of the server and
    PostgreSQL where the system tells them.
    """

    samples: dict[str, list[Sample]] = field(default_factory=lambda: {SQL: [], GRPC: [], ECHO: []})
    costs: dict[str, list[dict[str, float]]] = field(default_factory=lambda: {SQL: [], GRPC: [], ECHO: []})


def run_rounds(
    place: Place, workloads: tuple[Workload, ...], *, rounds: int, seconds: float, warm_up: float
) -> dict[Workload, Measured]:
    """Measure every workload once per round and way; every second round the other way about."""
    measured = {workload: Measured() for workload in workloads}
    with _processes(place) as run:
        for number in range(rounds):
            for workload in workloads:
                plan = Plan(workload.callers, workload.batch, seconds, warm_up)
                ways = workload.ways if number % 2 == 0 else workload.ways[::-1]
                for way in ways:
                    _add(measured[workload], way, place, plan, run)
                _tell(number, workload, measured[workload])
    return measured


def _add(measured: Measured, way: str, place: Place, plan: Plan, run: Run) -> None:
    watched = {"server": place.server_pid, "postgres": place.postgres_pid}
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    sample = run(way, plan)
    measured.samples[way].append(sample)
    costs = {"load": sample.cpu_seconds / sample.jobs * MICROSECONDS}
    # What is watched from outside has also done the warm-up, at the same rate.
    jobs = sample.jobs * (1 + plan.warm_up / sample.seconds)
    for name, pid in watched.items():
        used, after = before[name], cpu_seconds(pid)
        if used is not None and after is not None:
            costs[name] = (after - used) / jobs * MICROSECONDS
    measured.costs[way].append(costs)


@contextmanager
def _processes(place: Place) -> Iterator[Run]:
    """A process for each way, so that none shares an interpreter with what it measures."""
    fresh = multiprocessing.get_context("spawn")
    ways = {
        GRPC: (measure_grpc, place.target),
        SQL: (measure_sql, place.dsn),
        ECHO: (measure_echo, place.echo_target),
    }
    pools = {way: ProcessPoolExecutor(1, mp_context=fresh) for way in ways}
    try:
        yield lambda way, plan: pools[way].submit(ways[way][0], ways[way][1], plan).result()
    finally:
        for pool in pools.values():
            pool.shutdown()


def _tell(number: int, workload: Workload, measured: Measured) -> None:
    rates = (f"{way} {samples[-1].jobs / samples[-1].seconds:,.0f}/s" for way, samples in
             measured.samples.items() if samples)  # fmt: skip
    line = f"round {number + 1}, {workload.callers} callers, {workload.batch} per call: {', '.join(rates)}"
    print(line, file=sys.stderr, flush=True)
