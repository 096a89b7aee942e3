"""The work that is measured: create, acquire, finish, by callers that each begin again when done."""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple, Protocol

QUEUE = "benchmark"
HOLDER = "benchmark-worker"
DONE = "succeeded"
LEASE_SECONDS = 60
PAYLOAD = bytes(range(256))

VERBS = ("create", "acquire", "finish")


class Plan(NamedTuple):
    """So many callers, each with so many jobs per call, for so many seconds after a warm-up."""

    callers: int
    batch: int
    seconds: float
    warm_up: float


class Leased(NamedTuple):
    """What finishing a job needs."""

    id: str
    token: bytes


class Sample(NamedTuple):
    """What came of a plan. `cpu_seconds` is what the measuring process itself used of them."""

    jobs: int
    seconds: float
    cpu_seconds: float
    latencies: dict[str, list[float]]


class Caller(Protocol):
    """One way to have jobs done; each call is answered when it is durable."""

    async def create(self, count: int) -> None:
        """Create so many jobs."""

    async def acquire(self, count: int) -> Sequence[Leased]:
        """Lease up to so many; fewer when others were faster."""

    async def finish(self, leased: Sequence[Leased]) -> None:
        """Finish them; raises when one is refused."""


async def measure(callers: Sequence[Caller], plan: Plan) -> Sample:
    """Let all callers go round until the time is over; each ends its last round."""
    await _go_round(callers, plan.batch, plan.warm_up)
    return await _go_round(callers, plan.batch, plan.seconds)


async def _go_round(callers: Sequence[Caller], batch: int, seconds: float) -> Sample:
    latencies: dict[str, list[float]] = {verb: [] for verb in VERBS}
    cpu, began = time.process_time(), time.perf_counter()
    done = await asyncio.gather(*(_repeat(each, batch, began + seconds, latencies) for each in callers))
    return Sample(sum(done), time.perf_counter() - began, time.process_time() - cpu, latencies)


async def _repeat(caller: Caller, batch: int, until: float, latencies: dict[str, list[float]]) -> int:
    done = 0
    while time.perf_counter() < until:
        times = [time.perf_counter()]
        await caller.create(batch)
        times.append(time.perf_counter())
        leased = await caller.acquire(batch)
        times.append(time.perf_counter())
        if leased:
            await caller.finish(leased)
            times.append(time.perf_counter())
        for verb, before, after in zip(VERBS, times, times[1:], strict=False):
            latencies[verb].append(after - before)
        done += len(leased)
    return done
