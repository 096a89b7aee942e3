"""What goes wrong on purpose: a worker and the server are killed, and a dead worker's writes arrive late."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import tenure
from tenure.errors import IllegalTransition, LeaseLost, TenureError
from tenure_server.demo.journal import JournalledLease
from tenure_server.demo.processes import Process, WorkerProcess
from tenure_server.demo.view import View

KILL_WORKER_AT = 0.3
KILL_SERVER_AT = 0.5

# A lease ends by the database's clock; this machine's steady clock may run a little faster.
_SPARE_SECONDS = 0.25


@dataclass(slots=True)
class Toll:
    """What the accidents did. `accepted` counts late writes that were not refused, which must be none."""

    workers_killed: int = 0
    servers_restarted: int = 0
    late_writes_refused: int = 0
    late_writes_accepted: int = 0


class WorkerKill:
    """Kills one worker with SIGKILL while it holds leases; `begun` are those it worked under, with tokens."""

    def __init__(self, client: "tenure.Client", queue: str, workers: Sequence[WorkerProcess]) -> None:
        self._client = client
        self._queue = queue
        self._workers = workers
        self.killed_at = 0.0
        self.begun: Sequence[JournalledLease] = ()

    def happen(self, toll: Toll, view: View) -> bool:
        """Try; False when no worker held a lease just now."""
        return any(self._killed(worker, toll, view) for worker in self._workers)

    def _killed(self, worker: WorkerProcess, toll: Toll, view: View) -> bool:
        # Frozen first, so that what it holds is still what it holds when it dies.
        worker.freeze()
        try:
            held = {job.id for job in self._client.list_jobs(queue=self._queue, holder=worker.holder)}
            begun = [lease for job_id, lease in worker.leases().items() if job_id in held]
        except TenureError:
            worker.thaw()
            raise
        if not begun:
            worker.thaw()
            return False
        worker.kill()
        self.begun, self.killed_at = begun, time.monotonic()
        toll.workers_killed += 1
        view.tell(f"killed {worker.name} (process {worker.pid}) with -9 while it held {len(held)} leases")
        return True


def kill_server(server: Process, ready: Callable[[], None], toll: Toll, view: View) -> None:
    """Kill the server with SIGKILL and start it again."""
    begun = time.monotonic()
    pid = server.pid
    server.kill()
    view.tell(f"killed the server (process {pid}) with -9")
    server.start()
    ready()
    toll.servers_restarted += 1
    view.tell(f"the server is back after {time.monotonic() - begun:.1f} s (process {server.pid})")


def leases_are_over(killed_at: float, lease: float) -> bool:
    """Say whether every lease that was held at `killed_at` has run out by now."""
    return time.monotonic() > killed_at + lease + _SPARE_SECONDS


class LateWrites:
    """Does what the dead worker would have done had it only been slow: every write must be refused."""

    def __init__(self, client: "tenure.Client", leases: Sequence[JournalledLease]) -> None:
        self._left = deque(write for lease in leases for write in _late_writes(client, lease))

    def happen(self, toll: Toll, view: View) -> bool:
        """Try them all; where the server cannot answer, calling again goes on from there."""
        while self._left:
            _attempt(self._left[0], toll)
            self._left.popleft()
        view.tell(f"{toll.late_writes_refused} late writes with the dead worker's tokens were refused")
        return True


def _late_writes(client: "tenure.Client", lease: JournalledLease) -> Sequence[Callable[[], bool]]:
    """Return writes under the lease; each says whether it changed anything."""
    key = tenure.LeaseKey(lease.job_id, lease.token)

    def finish() -> bool:
        # Replayed: the worker's own call was on its way when it died, and has had its effect in time.
        return not client.transition(key, "succeeded", result={"path": "written too late"}).replayed

    def save_checkpoint() -> bool:
        client.save_checkpoint(key, b"written too late")
        return True

    def renew() -> bool:
        client.renew(key)
        return True

    return finish, save_checkpoint, renew


def _attempt(write: Callable[[], bool], toll: Toll) -> None:
    try:
        toll.late_writes_accepted += write()
    except (LeaseLost, IllegalTransition):  # illegal: others have already finished the job
        toll.late_writes_refused += 1
