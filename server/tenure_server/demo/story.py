"""The plot: jobs are created, workers work, one dies, the server dies, and all is proved in the end."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import tenure
from tenure.errors import TenureError
from tenure_server.demo.accidents import (
    KILL_SERVER_AT,
    KILL_WORKER_AT,
    LateWrites,
    Toll,
    WorkerKill,
    kill_server,
    leases_are_over,
)
from tenure_server.demo.creation import Created, create_jobs
from tenure_server.demo.files import SourceFile
from tenure_server.demo.manifest import verdict
from tenure_server.demo.processes import WorkerProcess, server_process
from tenure_server.demo.report import Report, what_happened
from tenure_server.demo.view import Standing, View

CONCURRENCY = 8

_TICK_SECONDS = 0.05
_START_SECONDS = 60.0
_STUCK_SECONDS = 60.0
_UNENDED = (tenure.Phase.WAITING, tenure.Phase.ACTIVE, tenure.Phase.PARKED, tenure.Phase.STOPPING)

Accident = Callable[[Standing], bool]


class DemoFailed(Exception):
    """The demonstration could not be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do. `lease` is in seconds, and short so that what a dead worker held is soon free."""

    files: Sequence[SourceFile]
    queue: str
    data_dir: Path
    workers: int = 3
    lease: float = 2.5


class Demo:
    """One run of the demonstration; `scratch` is a private directory with a short name."""

    def __init__(self, plan: Plan, view: View, scratch: Path) -> None:
        target = f"unix:{scratch}/tenure.sock"
        self._plan = plan
        self._view = view
        self._client = tenure.Client(target, timeout=10)
        self._server = server_process(target, plan.data_dir, scratch)
        self._workers = [
            WorkerProcess(number, target, plan.queue, scratch, lease=plan.lease, concurrency=CONCURRENCY)
            for number in range(1, plan.workers + 1)
        ]
        self._toll = Toll()

    def run(self) -> Report:
        """Carry it out and return what came of it; raises DemoFailed. No process is left behind."""
        with ExitStack() as undo:
            undo.callback(self._server.stop)
            undo.enter_context(self._client)
            self._start_server()
            begun = time.monotonic()
            created = create_jobs(self._client, self._plan.queue, self._plan.files)
            self._view.tell(f"created {created.new:,} jobs, found {created.replayed:,} from an earlier run")
            if created.pending:
                self._start_workers(undo)
                self._work_off(created.pending)
            return self._prove(created, time.monotonic() - begun)

    def _start_server(self) -> None:
        self._view.tell("starting the server and its own PostgreSQL")
        self._server.start()
        self._await_server()
        self._view.tell(f"the server serves (process {self._server.pid})")

    def _await_server(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            if self._server.exit_code is not None:
                raise DemoFailed(f"the server did not start:\n{self._server.log_tail()}")
            try:
                self._client.server_info()
                return
            except TenureError as error:
                if time.monotonic() > deadline:
                    raise DemoFailed(f"the server does not answer:\n{self._server.log_tail()}") from error
                time.sleep(_TICK_SECONDS)

    def _start_workers(self, undo: ExitStack) -> None:
        for worker in self._workers:
            undo.callback(worker.kill)
            worker.start()
        pids = ", ".join(str(worker.pid) for worker in self._workers)
        self._view.tell(f"started {len(self._workers)} workers (processes {pids})")

    def _work_off(self, pending: int) -> None:
        """Watch until all is done, and let the accidents happen on the way."""
        accidents = self._accidents()
        due = next(accidents, None)
        standing, moved_at = Standing(pending, pending, 0), time.monotonic()
        while due is not None or not self._all_ended(standing):
            self._view.show(standing)
            time.sleep(_TICK_SECONDS)
            now = self._standing(standing)
            if now != standing:
                standing, moved_at = now, time.monotonic()
            self._require_life(moved_at)
            if due is not None and self._happened(due, standing):
                due = next(accidents, None)
        self._view.show(standing)
        for worker in self._workers:
            worker.stop()

    def _accidents(self) -> Iterator[Accident]:
        """Yield what is to happen next; each is asked again and again until it says that it is over."""
        killing = WorkerKill(self._client, self._plan.queue, self._workers)
        yield (
            lambda now: (
                now.share >= KILL_WORKER_AT and (killing.happen(self._toll, self._view) or now.share == 1)
            )
        )
        yield lambda now: now.share >= KILL_SERVER_AT and self._kill_server()
        if killing.begun:
            late = LateWrites(self._client, killing.begun)
            yield (
                lambda _: (
                    leases_are_over(killing.killed_at, self._plan.lease)
                    and late.happen(self._toll, self._view)
                )
            )

    def _happened(self, accident: Accident, standing: Standing) -> bool:
        try:
            return accident(standing)
        except TenureError as error:
            if not error.temporary:
                raise
            return False  # asked again when the server answers

    def _kill_server(self) -> bool:
        kill_server(self._server, self._await_server, self._toll, self._view)
        return True

    def _standing(self, last: Standing) -> Standing:
        try:
            queue = self._client.get_queue(self._plan.queue)
        except TenureError as error:
            if not error.temporary:
                raise
            return last
        total = max(last.total, queue.ready + queue.leased)
        return Standing(total, queue.ready, queue.leased)

    def _all_ended(self, standing: Standing) -> bool:
        if standing.waiting or standing.active:
            return False
        page = self._client.list_jobs_page(queue=self._plan.queue, phases=_UNENDED, page_size=1)
        return not page.jobs

    def _require_life(self, moved_at: float) -> None:
        for worker in self._workers:
            if worker.exit_code not in (None, -9):
                raise DemoFailed(f"{worker.name} ended by itself:\n{worker.log_tail()}")
        if self._server.exit_code is not None:
            raise DemoFailed(f"the server ended by itself:\n{self._server.log_tail()}")
        if time.monotonic() - moved_at > _STUCK_SECONDS:
            raise DemoFailed(f"nothing moved for {_STUCK_SECONDS:.0f} s:\n{self._workers[-1].log_tail()}")

    def _prove(self, created: Created, seconds: float) -> Report:
        self._view.tell("comparing every result with a direct computation")
        jobs = list(self._client.list_jobs(queue=self._plan.queue, full=True, page_size=500))
        return Report.of(
            created=created,
            verdict=verdict(self._plan.files, jobs),
            history=what_happened(self._client, jobs),
            toll=self._toll,
            seconds=seconds,
        )
