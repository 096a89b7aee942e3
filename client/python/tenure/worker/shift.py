"""One run of a worker, from the first acquire to the last report."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tenure import clock
from tenure.async_client import AsyncClient
from tenure.errors import TenureError
from tenure.held_lease import HeldLease
from tenure.lease_keeper import LeaseKeeper
from tenure.model.document import Content
from tenure.model.lease import Release, Transition
from tenure.worker.completions import Completions
from tenure.worker.handlers import Handlers, is_stoppable
from tenure.worker.intake import Intake, Ready
from tenure.worker.outcome import outcome
from tenure.worker.running_job import RunningJob
from tenure.worker.settings import WorkerSettings

logger = logging.getLogger("tenure")

_STOPPING_SECONDS = 2.0
_REPORTING_SECONDS = 10.0


@dataclass(slots=True)
class _Run:
    """A job whose handler is at work."""

    lease: HeldLease
    work: asyncio.Future[Content]
    task: asyncio.Task[None] | None = None
    abandoned: bool = False

    def stop(self) -> bool:
        """Cancel the handler if it can be cancelled, and say so."""
        return is_stoppable(self.work) and self.work.cancel()

    def abandon(self) -> bool:
        """Do what stop does because the worker stops: the job is not at fault."""
        self.abandoned = True
        return self.stop()


class Shift:
    """Lets handlers work on jobs as they come."""

    def __init__(
        self, client: AsyncClient, keeper: LeaseKeeper, settings: WorkerSettings, handlers: Handlers
    ) -> None:
        self._client = client
        self._keeper = keeper
        self._settings = settings
        self._handlers = handlers
        self._loop = asyncio.get_running_loop()
        self._runs: dict[tuple[str, int], _Run] = {}
        self._intake = Intake(
            client, keeper, settings, handlers.kinds, self._lease_changed, self._start_ready
        )
        self._completions = Completions(client, keeper, settings.failure, self._intake.ask, self._intake.took)
        self._intake.reports_through(lambda: not self._completions.idle)

    async def run(self, stop: asyncio.Event, stop_now: asyncio.Event) -> None:
        """Work until `stop`, then finish within the grace or until `stop_now`."""
        intake = asyncio.create_task(self._intake.run())
        reports = asyncio.create_task(self._completions.run())
        asked = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({intake, reports, asked}, return_when=asyncio.FIRST_COMPLETED)
            await _cancel(intake)
            await self._drain(stop_now)
        finally:
            await _cancel(asked, intake)
            await self._abandon()
            await _cancel(reports)
            await self._intake.close()
        for task in (intake, reports):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def last_success_age(self) -> float:
        return max(self._intake.pulse.age(), self._keeper.last_success_age())

    def _start_ready(self) -> None:
        while len(self._runs) < self._settings.concurrency and (ready := self._intake.next_ready()):
            self._start(ready)
        self._intake.look()

    def _start(self, ready: Ready) -> None:
        job = RunningJob(ready.grant, ready.lease, self._client, self._keeper)
        run = _Run(ready.lease, self._begin(job))
        self._runs[ready.lease.key] = run
        self._intake.running = len(self._runs)
        run.task = asyncio.create_task(self._see_through(job, run))

    def _begin(self, job: RunningJob) -> asyncio.Future[Content]:
        try:
            job.check()  # cancelled or paused before it began
            return self._handlers.begin(job)
        except Exception as error:
            failed: asyncio.Future[Content] = self._loop.create_future()
            failed.set_exception(error)
            return failed

    async def _see_through(self, job: RunningJob, run: _Run) -> None:
        begun = clock.now()
        end = await outcome(job, run.work, self._settings, lambda: run.abandoned)
        # No wait between freeing the place and reporting, so that the report asks for the next job.
        del self._runs[run.lease.key]
        self._intake.running = len(self._runs)
        self._intake.ran(clock.now() - begun)
        if isinstance(end, Transition) and end.to != self._settings.paused:
            self._completions.add(run.lease, end)
            self._start_ready()
        else:
            self._start_ready()
            await self._set_aside(run.lease, end)

    async def _set_aside(self, lease: HeldLease, end: Transition | Release | None) -> None:
        """Hand an unfinished job back, paused if that was asked; nothing is said of a lost one."""
        try:
            if isinstance(end, Transition):
                progress = self._keeper.take_progress(lease)
                await self._client.transition(lease, end.to, progress=progress)
            if end is not None:
                await self._client.release(lease)
        except TenureError as error:
            logger.warning("handing back job %s failed, its lease runs out: %s", lease.job_id, error)
        finally:
            self._keeper.drop(lease)

    def _lease_changed(self, lease: HeldLease) -> None:
        """Called by the keeper's thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._obey, lease)

    def _obey(self, lease: HeldLease) -> None:
        run = self._runs.get(lease.key)
        if run is not None and (lease.lost.is_set() or lease.cancelled.is_set()):
            run.stop()
        self._start_ready()

    async def _drain(self, stop_now: asyncio.Event) -> None:
        await self._intake.close()
        working = [run.task for run in self._runs.values() if run.task is not None]
        if working:
            logger.info("finishing %d jobs within %g s", len(working), self._settings.grace)
            ended, hurry = asyncio.create_task(_all(working)), asyncio.create_task(stop_now.wait())
            await asyncio.wait(
                {ended, hurry}, timeout=self._settings.grace, return_when=asyncio.FIRST_COMPLETED
            )
            await _cancel(ended, hurry)
            await self._abandon()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._completions.finished(), _REPORTING_SECONDS)

    async def _abandon(self) -> None:
        """Stop what can be stopped and hand it back; what cannot keeps its lease until it runs out."""
        stopped = [run.task for run in self._runs.values() if run.abandon() and run.task is not None]
        if stopped:
            await asyncio.wait(stopped, timeout=_STOPPING_SECONDS)
        for run in list(self._runs.values()):
            self._keeper.lose(run.lease, "was given up because the worker stopped")
            if run.task is not None:
                await _cancel(run.task)


async def _all(tasks: Iterable[asyncio.Task[None]]) -> None:
    await asyncio.wait(list(tasks))


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
