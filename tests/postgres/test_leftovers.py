import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres
from tenure_server.postgres.account import choose_account
from tenure_server.postgres.pid_file import PidFile, clear_leftovers
from tenure_server.postgres.processes import is_postmaster_of
from tests.postgres.conftest import Serve
from tests.postgres.serving import rows


@pytest.fixture
def stranger(data_dir: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A live process of the server's own account that has nothing to do with PostgreSQL."""
    account = choose_account(None, [data_dir / "cluster"])
    process = subprocess.Popen(["sleep", "600"], user=account.uid if account.demoted else None)
    yield process
    process.kill()
    process.wait()


def killed_with_its_server(server: EmbeddedPostgres) -> None:
    """Leave what a power cut leaves: pid file and socket lock, no process."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    server.stop()


def replace_first_line(path: Path, pid: int) -> None:
    rest = path.read_text().split("\n", 1)[1]
    path.write_text(f"{pid}\n{rest}")


def test_a_server_whose_starter_was_killed_is_stopped_and_replaced(
    serve: Serve, options: EmbeddedOptions
) -> None:
    child = serve(options.data_dir)
    assert child.stdout is not None
    orphan, dsn = int(child.stdout.readline()), child.stdout.readline()
    rows(dsn, "CREATE TABLE kept AS SELECT 5 AS n")
    child.kill()
    child.wait()
    assert is_postmaster_of(orphan, options.data_dir / "cluster")

    with EmbeddedPostgres(options) as server:
        assert server.pid != orphan
        assert not is_postmaster_of(orphan, options.data_dir / "cluster")
        assert rows(server.dsn, "SELECT n FROM kept") == [(5,)]


def test_a_server_started_by_hand_on_the_directory_is_stopped_first(
    options: EmbeddedOptions, serve: Serve
) -> None:
    child = serve(options.data_dir)
    assert child.stdout is not None
    by_hand = int(child.stdout.readline())
    child.kill()
    child.wait()

    assert clear_leftovers(options.data_dir / "cluster") == str(options.data_dir / "socket")
    assert not is_postmaster_of(by_hand, options.data_dir / "cluster")
    assert not (options.data_dir / "cluster" / "postmaster.pid").exists()


def test_after_a_killed_postmaster_with_a_client_what_was_committed_is_there(
    options: EmbeddedOptions,
) -> None:
    safe = replace(options, durable=True)
    server = EmbeddedPostgres(safe)
    server.start()
    rows(server.dsn, "CREATE TABLE kept (n int)")
    with closing(psycopg.connect(server.dsn)) as client:
        client.execute("INSERT INTO kept VALUES (1)")
        client.commit()
        client.execute("INSERT INTO kept VALUES (2)")

        killed_with_its_server(server)

        with EmbeddedPostgres(safe) as again:
            assert rows(again.dsn, "SELECT n FROM kept") == [(1,)]


def test_a_backend_that_outlives_its_postmaster_is_waited_for(options: EmbeddedOptions) -> None:
    server = EmbeddedPostgres(options)
    server.start()
    with closing(psycopg.connect(server.dsn)) as client:
        backend = client.info.backend_pid
        os.kill(backend, signal.SIGSTOP)
        killed_with_its_server(server)

        with (
            subprocess.Popen(["sh", "-c", f"sleep 1; kill -CONT {backend}"]),
            EmbeddedPostgres(options) as again,
        ):
            assert rows(again.dsn, "SELECT 1") == [(1,)]
    assert "pre-existing shared memory block" in server.log_file.read_text()


def test_a_pid_file_whose_pid_is_now_a_stranger_does_not_stop_the_start(
    options: EmbeddedOptions, stranger: "subprocess.Popen[bytes]"
) -> None:
    server = EmbeddedPostgres(options)
    server.start()
    killed_with_its_server(server)
    replace_first_line(options.data_dir / "cluster" / "postmaster.pid", stranger.pid)
    replace_first_line(options.data_dir / "socket" / ".s.PGSQL.5432.lock", stranger.pid)

    with EmbeddedPostgres(options) as again:
        assert rows(again.dsn, "SELECT 1") == [(1,)]
    assert stranger.poll() is None


def test_a_dead_servers_pid_is_taken_out_of_its_file_because_our_child_may_get_it(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    path = tmp_path / "postmaster.pid"
    path.write_text(f"{dead.pid}\n/data\n99\n5432\n/socket\n\n  123  456\nready   \n")

    assert clear_leftovers(tmp_path) == "/socket"

    assert PidFile.of(tmp_path) == PidFile(path, os.getpid(), "/socket", "ready")
    assert "  123  456" in path.read_text()


@pytest.mark.parametrize("text", ["", "\n", "garbage\n", "1", "1\n/data\n"])
def test_a_torn_pid_file_does_not_stop_the_start(options: EmbeddedOptions, text: str) -> None:
    (options.data_dir / "cluster" / "postmaster.pid").write_text(text)

    with EmbeddedPostgres(options) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]


def test_only_a_live_postgres_of_this_very_cluster_counts_as_its_server(
    server: EmbeddedPostgres, options: EmbeddedOptions, place: Path
) -> None:
    assert server.pid is not None
    cluster = options.data_dir / "cluster"
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)

    assert is_postmaster_of(server.pid, cluster)
    assert not is_postmaster_of(server.pid, place / "other")
    assert not is_postmaster_of(os.getpid(), cluster)
    assert not is_postmaster_of(zombie.pid, cluster)
    zombie.wait()


def test_processes_can_be_told_apart_without_a_proc_file_system(
    server: EmbeddedPostgres, options: EmbeddedOptions, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    assert server.pid is not None
    monkeypatch.setattr("tenure_server.postgres.processes.PROC", place / "proc")

    assert is_postmaster_of(server.pid, options.data_dir / "cluster")
    assert not is_postmaster_of(server.pid, place / "other")
    assert not is_postmaster_of(os.getpid(), options.data_dir / "cluster")
