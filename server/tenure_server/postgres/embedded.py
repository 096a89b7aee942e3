"""A private PostgreSQL that lives as long as it is wanted."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tenure_server.postgres.account import Account, choose_account
from tenure_server.postgres.binaries import Binaries, find_binaries
from tenure_server.postgres.cluster import (
    DATABASE,
    SUPERUSER,
    cluster_major,
    create_cluster,
    remember,
    remembered_bin_dir,
    require_owner,
)
from tenure_server.postgres.data_directory import DataDirectory
from tenure_server.postgres.directory_lock import locked
from tenure_server.postgres.errors import PostgresError
from tenure_server.postgres.parameters import server_parameters
from tenure_server.postgres.pid_file import clear_leftovers
from tenure_server.postgres.postmaster import Launch, Postmaster, started
from tenure_server.postgres.reach import reachable_binaries, require_reachable
from tenure_server.postgres.socket_dir import remove_abandoned, socket_directory


@dataclass(frozen=True)
class EmbeddedOptions:
    """What may be chosen about an embedded server.

    `run_as` names the account PostgreSQL steps down to when we are root. `durable=False` gives up crash
    safety for speed and is for tests only. `start_seconds` bounds a start, crash recovery included.
    """

    data_dir: Path
    bin_dir: Path | None = None
    run_as: str | None = None
    shared_buffers_mb: int = 128
    max_connections: int = 100
    durable: bool = True
    start_seconds: float = 600.0


class EmbeddedPostgres:
    """One PostgreSQL server on one data directory, reachable by its Unix socket only.

    Use it from the main thread and before anything that minds a fork. Where logind has RemoveIPC on, the
    server of an ordinary user does not survive that user's logout.
    """

    def __init__(self, options: EmbeddedOptions) -> None:
        self._options = options
        self._home = DataDirectory.at(options.data_dir)
        self._undo = ExitStack()
        self._socket_dir: Path | None = None
        self._postmaster: Postmaster | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def dsn(self) -> str:
        """The libpq connection string of the database `tenure`; raises PostgresError before `start`."""
        if self._socket_dir is None:
            raise PostgresError("the embedded PostgreSQL is not running: start it first")
        host = str(self._socket_dir).replace("\\", "\\\\").replace("'", "\\'")
        return f"host='{host}' port=5432 user={SUPERUSER} dbname={DATABASE}"

    @property
    def log_file(self) -> Path:
        return self._home.log_file

    @property
    def pid(self) -> int | None:
        """The process id of the server, while it runs."""
        return self._postmaster.pid if self._postmaster else None

    @property
    def is_running(self) -> bool:
        """False before `start`, after `stop`, and when the server has ended by itself."""
        return self._postmaster is not None and self._postmaster.is_running

    def start(self) -> None:
        """Lock the directory, make the cluster if there is none, and serve it; returns when it is ready.

        A server that a killed process left running on the directory is stopped first. Raises PostgresError,
        after which nothing of this start is left running or locked.
        """
        try:
            with ExitStack() as undo:
                self._start(undo)
                self._undo = undo.pop_all()
        except OSError as error:
            raise PostgresError(
                f"the data directory {self._home.path} cannot be used ({error.strerror}: {error.filename}): "
                "mend that, or name another one"
            ) from error

    def stop(self) -> None:
        """Stop the server and unlock the directory; does nothing when it is not running."""
        self._socket_dir, self._postmaster = None, None
        self._undo.close()

    def _start(self, undo: ExitStack) -> None:
        home = self._home
        account = choose_account(self._options.run_as, (home.cluster, home.path))
        home.require_usable()
        home.make(account)
        undo.enter_context(locked(home.lock_file))
        home.remove_unfinished()
        remove_abandoned(clear_leftovers(home.cluster), account)
        binaries = self._prepared(account)
        socket_dir = undo.enter_context(socket_directory(home.socket_dir, account))
        launch = Launch(home, binaries, account, socket_dir, self._parameters(binaries.major))
        postmaster = started(launch, self._options.start_seconds)
        undo.callback(postmaster.stop)
        self._socket_dir, self._postmaster = socket_dir, postmaster

    def _prepared(self, account: Account) -> Binaries:
        """The programs to use, with a cluster for them in place."""
        home = self._home
        major = cluster_major(home.cluster)
        if major is not None:
            require_owner(home.cluster, account)
        found = find_binaries(self._options.bin_dir, major, remembered_bin_dir(home))
        binaries = reachable_binaries(found, account, home.copied_binaries)
        require_reachable(home.path, binaries, account)
        if major is None:
            create_cluster(home, binaries, account)
        remember(home, found)
        return binaries

    def _parameters(self, major: int) -> dict[str, str]:
        options = self._options
        return server_parameters(
            major,
            shared_buffers_mb=options.shared_buffers_mb,
            max_connections=options.max_connections,
            durable=options.durable,
        )
