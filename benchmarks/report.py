"""What a run has shown, as values for JSON and as a page in Markdown."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.cycle import VERBS, Sample
from benchmarks.rounds import ECHO, GRPC, SQL, Measured, Workload

Results = dict[str, Any]


def results_of(measured: dict[Workload, Measured], facts: dict[str, str], terms: dict[str, Any]) -> Results:
    """Medians and spreads of every workload, and the latencies of a lone caller."""
    alone = measured.get(Workload(1, 1))
    return {
        "machine": facts,
        "terms": terms,
        "workloads": [_workload(workload, found) for workload, found in measured.items()],
        "one_caller": None if alone is None else {verb: _latency(verb, alone) for verb in VERBS},
    }


def _workload(workload: Workload, found: Measured) -> Results:
    rates = {way: [s.jobs / s.seconds for s in samples] for way, samples in found.samples.items() if samples}
    pairs = zip(rates[GRPC], rates[SQL], strict=True)
    return {
        "callers": workload.callers,
        "batch": workload.batch,
        "jobs_per_second": {way: _spread(values) for way, values in rates.items()},
        "ratio_to_sql": _spread([through / bare for through, bare in pairs]),
        "cpu_microseconds_per_job": {way: _costs(found.costs[way]) for way in (GRPC, SQL)},
    }


def _costs(costs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(cost[name] for cost in costs) for name in costs[0]}


def _spread(values: Sequence[float]) -> Results:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def _latency(verb: str, found: Measured) -> Results:
    """In milliseconds: the median over the rounds of each round's percentiles."""
    ways = {way: _percentiles(verb, found.samples[way]) for way in (GRPC, SQL, ECHO)}
    return {**ways, "above_sql": ways[GRPC]["p50"] - ways[SQL]["p50"]}


def _percentiles(verb: str, samples: Iterable[Sample]) -> dict[str, float]:
    sorted_all = [sorted(sample.latencies[verb]) for sample in samples]
    return {
        name: statistics.median(times[int(len(times) * share)] for times in sorted_all if times) * 1000
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }


def as_markdown(results: Results) -> str:
    """The tables of a run."""
    parts = [
        _machine(results),
        _throughput(results["workloads"]),
        "Processor time per job, in microseconds:",
        _processor_time(results["workloads"]),
    ]
    if results["one_caller"] is not None:
        parts.append(_latencies(results["one_caller"]))
    return "\n\n".join(parts) + "\n"


def _machine(results: Results) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    terms = ", ".join(f"{name} {value}" for name, value in results["terms"].items())
    return f"Machine: {facts}.\n\nRun: {terms}."


def _throughput(workloads: Sequence[Results]) -> str:
    lines = [
        "| callers | jobs per call | jobs/s through gRPC | bare SQL, jobs/s | ratio | echo ceiling |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for row in workloads:
        rates = row["jobs_per_second"]
        cells = [
            str(row["callers"]),
            str(row["batch"]),
            _shown(rates[GRPC], ",.0f"),
            _shown(rates[SQL], ",.0f"),
            _shown(row["ratio_to_sql"], ".2f"),
            _shown(rates[ECHO], ",.0f") if ECHO in rates else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _processor_time(workloads: Sequence[Results]) -> str:
    lines = [
        "| callers | jobs per call | server | load generator | PostgreSQL | bare SQL: client | PostgreSQL |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in workloads:
        costs = row["cpu_microseconds_per_job"]
        through = [costs[GRPC].get(name) for name in ("server", "load", "postgres")]
        bare = [costs[SQL].get(name) for name in ("load", "postgres")]
        shown = ["" if cost is None else f"{cost:,.0f}" for cost in through + bare]
        lines.append(f"| {row['callers']} | {row['batch']} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _shown(spread: Results, form: str) -> str:
    return f"**{spread['median']:{form}}** ({spread['least']:{form}}–{spread['most']:{form}})"


def _latencies(calls: dict[str, Results]) -> str:
    lines = [
        "| call of one idle caller | through gRPC, ms (p50 / p99) | its SQL | gRPC echo | above its SQL |",
        "|---|---:|---:|---:|---:|",
    ]
    for verb, found in calls.items():
        times = (f"{found[way]['p50']:.2f} / {found[way]['p99']:.2f}" for way in (GRPC, SQL, ECHO))
        lines.append(f"| {verb} | {' | '.join(times)} | **{found['above_sql']:.2f} ms** |")
    return "\n".join(lines)
