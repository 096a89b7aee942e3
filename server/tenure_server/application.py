"""The composition root: settings → database → services → gRPC → loops → drain."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tenure_server.domain.clock import Clock
from tenure_server.domain.errors import DatabaseUnavailable, SchemaTooNew, TenureError
from tenure_server.logs import configure_logging
from tenure_server.maintenance.job_pruner import REMOVED, SCANNED, JobPruner, RequestIdPruner
from tenure_server.maintenance.job_sweep import PAGE, JobExpirer, JobPromoter, LeaseReaper
from tenure_server.maintenance.ticker import Ticker
from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, PostgresError, default_data_dir
from tenure_server.rpc.listen import Listen, ListenError
from tenure_server.rpc.server import RpcOptions, RpcServer, Services
from tenure_server.rpc.tls import Tls
from tenure_server.service.announcer import Announcer
from tenure_server.service.flusher import Flusher
from tenure_server.service.jobs import Jobs
from tenure_server.service.leases import Leases
from tenure_server.service.lifecycles import load_catalogue
from tenure_server.service.notifications import Notifications
from tenure_server.service.queues import Queues
from tenure_server.service.server_info import ServerInfo
from tenure_server.service.wakeups import Wakeups
from tenure_server.service.watching import Watching
from tenure_server.settings import Settings
from tenure_server.store.database import Database, DatabaseSettings
from tenure_server.store.migrate import known_version, migrate_database, schema_version

log = logging.getLogger(__name__)

PRUNING_INTERVAL = 60.0
HEALTH_INTERVAL = 1.0
HEALTH_PATIENCE = 3.0


class Application:
    """One server on one database, from `start` to `drain`."""

    def __init__(self, settings: Settings, dsn: str, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or Clock()
        self.database = Database(DatabaseSettings(dsn, settings.pool_size, settings.pooler))
        self.wakeups = Wakeups(settings.max_waiters)
        self.notifications = Notifications(self.database, self.wakeups)
        self._tasks: list[asyncio.Task[None]] = []
        self._failed = asyncio.Event()
        self.flusher: Flusher
        self.reaper: LeaseReaper
        self.promoter: JobPromoter
        self.expirer: JobExpirer
        self.pruner: JobPruner
        self._rpc: RpcServer

    async def start(self) -> list[str]:
        """Migrate, load, listen; returns the addresses. Raises what keeps it from serving."""
        await migrate_database(self.database)
        await self.database.open()
        await self._compose()
        bound = await self._rpc.start()
        self._run_loops()
        await self._rpc.set_serving()
        return bound

    async def _compose(self) -> None:
        catalogue = await load_catalogue(self.database)
        announcer = Announcer(self.wakeups, self.notifications, lambda: self._promotion.nudge())
        self.flusher = Flusher(self.database, catalogue, self._clock, announcer.committed)
        swept = (self.database, self.flusher, self._clock)
        self.reaper, self.promoter, self.expirer = (
            LeaseReaper(*swept),
            JobPromoter(*swept),
            JobExpirer(*swept),
        )
        self.pruner = JobPruner(self.database, self._clock, self._settings.retention)
        self._info = ServerInfo(self.database, self._clock, known_version())
        services = Services(
            jobs=Jobs(self.database, self.flusher, self.wakeups),
            watching=Watching(self.database, self.wakeups),
            leases=Leases(self.database, self.flusher, self.wakeups, self._clock),
            queues=Queues(self.database, self.wakeups, self.notifications, self._clock),
            info=self._info,
            catalogue=catalogue,
        )
        self._rpc = RpcServer(services, rpc_options(self._settings))

    def _run_loops(self) -> None:
        interval = self._settings.sweep_interval.total_seconds()
        self._promotion = Ticker(self.promoter, interval, full_page=PAGE, until_next=self.promoter.until_next)
        request_ids = RequestIdPruner(self.database, self._clock, self._settings.request_id_retention)
        self._run(self.flusher.run())
        self._run(self.wakeups.poll(self._settings.poll_interval.total_seconds()))
        if self._settings.listens_for_notifications:
            self._run(self.notifications.run())
        self._run(self._promotion.run())
        self._run(Ticker(self.reaper, interval, full_page=PAGE).run())
        self._run(Ticker(self.expirer, interval, full_page=PAGE).run())
        self._run(Ticker(self.pruner, PRUNING_INTERVAL, full_page=SCANNED).run())
        self._run(Ticker(request_ids, PRUNING_INTERVAL, full_page=REMOVED).run())
        self._run(self._watch_health())

    def _run(self, loop: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(loop)
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A loop that ends by itself is a fault: better no server than one that only looks alive."""
        if not task.cancelled() and task.exception() is not None:
            log.critical("a loop of this server failed", exc_info=task.exception())
            self._failed.set()

    async def _watch_health(self) -> None:
        """Say NOT_SERVING while the database does not answer."""
        serving = True
        looking: asyncio.Task[object] | None = None
        try:
            while True:
                await asyncio.sleep(HEALTH_INTERVAL)
                # A frozen database leaves a look hanging: it shows by itself when that is over.
                looking = looking or asyncio.create_task(self._info.read())
                answers = await _answers(looking)
                if answers is not None:
                    looking = None
                await self._tell_health(bool(answers), serving)
                serving = bool(answers)
        finally:
            if looking is not None:
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)

    async def _tell_health(self, answers: bool, serving: bool) -> None:
        if serving and not answers:
            log.warning("the database does not answer: NOT_SERVING until it does")
            await self._rpc.set_not_serving()
        elif answers and not serving:
            log.info("the database answers again: SERVING")
            await self._rpc.set_serving()

    async def failure(self) -> None:
        """Return when a loop of this server has failed."""
        await self._failed.wait()

    async def drain(self, grace: float) -> None:
        """Take no new work, let calls under way end within `grace` seconds, then close everything."""
        self.wakeups.drain()
        await self._rpc.drain(grace)
        self.flusher.stop()
        flushing, *loops = self._tasks
        await asyncio.wait([flushing], timeout=max(grace, 1.0))
        await _cancelled(flushing, *loops)
        await self.database.close()


async def _answers(looking: asyncio.Task[object]) -> bool | None:
    """Whether a look at the database went well; None while there is no answer."""
    done, _ = await asyncio.wait([looking], timeout=HEALTH_PATIENCE)
    if not done:
        return None
    error = looking.exception()
    if error is not None and not isinstance(error, TenureError):
        raise error
    return error is None


async def _cancelled(*tasks: asyncio.Task[None]) -> None:
    """Cancel until they have ended: the driver's pool now and then swallows a cancellation."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=0.5)


def rpc_options(settings: Settings) -> RpcOptions:
    """How the gRPC server is told what the settings say; raises ListenError for a bad address."""
    listens = [Listen.parse(text) for text in settings.listen]
    tls = None
    if settings.tls_cert is not None and settings.tls_key is not None:
        tls = Tls(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    reflection = settings.reflection == "on"
    if settings.reflection == "auto":
        reflection = all(listen.is_local for listen in listens)
    return RpcOptions(
        listens=listens,
        tls=tls,
        insecure_ok=settings.insecure,
        reflection=reflection,
        max_streams=settings.max_streams,
    )


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code, 2 for what the operator has to mend."""
    configure_logging(settings.log_level, settings.log_format)
    return _reported(lambda: _serve_on_some_database(settings))


def _serve_on_some_database(settings: Settings) -> int:
    rpc_options(settings).require_safe()  # before a PostgreSQL is made for nothing
    with some_database(settings) as lent:
        return _run_loop(_serve(settings, lent))


def migrate(settings: Settings, *, status: bool, tell: Callable[[int, int], None]) -> int:
    """Bring the schema up to date, or with `status` only look where it is; returns the exit code.

    `tell` is given the version it has and the newest one known.
    """
    configure_logging(settings.log_level, settings.log_format)
    return _reported(lambda: _migrate_some_database(settings, status, tell))


def _migrate_some_database(settings: Settings, status: bool, tell: Callable[[int, int], None]) -> int:
    with some_database(settings) as lent:
        database = Database(DatabaseSettings(lent.dsn, settings.pool_size, settings.pooler))
        work = schema_version(database) if status else migrate_database(database)
        tell(_run_loop(work), known_version())
    return 0


class LentDatabase(NamedTuple):
    """Where the database is, and whether it is still there as far as we would know."""

    dsn: str
    is_running: Callable[[], bool]


@contextmanager
def some_database(settings: Settings) -> Iterator[LentDatabase]:
    """The database of the settings, or an embedded one for as long as it is needed."""
    if settings.dsn is not None:
        yield LentDatabase(settings.dsn, lambda: True)
        return
    options = EmbeddedOptions(
        settings.data_dir or default_data_dir(), bin_dir=settings.pg_bin_dir, run_as=settings.pg_run_as
    )
    # Before anything of gRPC: starting a process under another user forks.
    with EmbeddedPostgres(options) as server:
        log.info("embedded PostgreSQL is running in %s", options.data_dir)
        yield LentDatabase(server.dsn, lambda: server.is_running)


async def _serve(settings: Settings, lent: LentDatabase) -> int:
    application = Application(settings, lent.dsn)
    stopping = asyncio.Event()
    at_once = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _signalled, stopping, at_once)
    for address in await application.start():
        print(f"listening on {address}", flush=True)
    failure = asyncio.create_task(application.failure())
    gone = asyncio.create_task(_until_gone(lent))
    await _first(asyncio.create_task(stopping.wait()), failure, gone)
    log.info("draining for at most %g s; a second signal ends it at once", settings.grace.total_seconds())
    draining = asyncio.create_task(application.drain(settings.grace.total_seconds()))
    hurrying = asyncio.create_task(at_once.wait())
    await _first(draining, hurrying)
    if not draining.done():
        log.warning("stopped without draining")
        return 1
    log.info("stopped")
    return 1 if failure.done() or gone.done() else 0


async def _until_gone(lent: LentDatabase) -> None:
    """Return when the embedded PostgreSQL has ended: whoever starts us again starts it as well."""
    while True:
        await asyncio.sleep(HEALTH_INTERVAL)
        if not lent.is_running():
            break
    log.critical("the embedded PostgreSQL has ended; see its log")


def _signalled(stopping: asyncio.Event, at_once: asyncio.Event) -> None:
    (at_once if stopping.is_set() else stopping).set()


async def _first(*tasks: asyncio.Task[Any]) -> None:
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


def _run_loop(work: Coroutine[Any, Any, int]) -> int:
    """Run on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _reported(work: Callable[[], int]) -> int:
    try:
        return work()
    except (ListenError, PostgresError, SchemaTooNew) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except DatabaseUnavailable as problem:
        print(f"error: {problem}: {_cause(problem)}", file=sys.stderr)
        return 1


def _cause(problem: DatabaseUnavailable) -> str:
    """What the driver says, which names host and port but no secret."""
    return " ".join(str(problem.__cause__).split()) or "no further reason"
