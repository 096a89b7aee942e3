import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, PostgresError
from tenure_server.postgres.data_directory import LOG_BYTES, DataDirectory
from tenure_server.postgres.postmaster import Postmaster
from tests.postgres.conftest import Serve
from tests.postgres.serving import is_running, rows, setting


def deaf_to(*signals: signal.Signals) -> "subprocess.Popen[bytes]":
    """A process that ignores these signals already when this returns."""
    numbers = " ".join(str(int(each)) for each in signals)
    process = subprocess.Popen(
        ["sh", "-c", f"trap '' {numbers}; echo; exec sleep 600"], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_committed_rows_are_there_after_a_stop_and_a_start(options: EmbeddedOptions) -> None:
    with EmbeddedPostgres(options) as server:
        rows(server.dsn, "CREATE TABLE kept AS SELECT 42 AS n")

    with EmbeddedPostgres(options) as server:
        assert rows(server.dsn, "SELECT n FROM kept") == [(42,)]


def test_stop_does_not_wait_for_clients_and_may_be_repeated(server: EmbeddedPostgres) -> None:
    pid = server.pid
    assert pid is not None
    with psycopg.connect(server.dsn) as connection:
        server.stop()
        server.stop()
        assert not is_running(pid)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_an_error_inside_the_with_block_stops_the_server(options: EmbeddedOptions) -> None:
    pids: list[int | None] = []

    def fail_inside() -> None:
        with EmbeddedPostgres(options) as server:
            pids.append(server.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()

    (pid,) = pids
    assert pid is not None
    assert not is_running(pid)


def test_one_object_may_be_started_again(options: EmbeddedOptions) -> None:
    server = EmbeddedPostgres(options)
    for _ in range(2):
        server.start()
        assert rows(server.dsn, "SELECT 1") == [(1,)]
        server.stop()


def test_there_is_no_dsn_unless_it_runs(options: EmbeddedOptions) -> None:
    server = EmbeddedPostgres(options)
    with pytest.raises(PostgresError, match="not running"):
        _ = server.dsn

    with server:
        assert server.dsn.endswith("port=5432 user=postgres dbname=tenure")

    with pytest.raises(PostgresError, match="not running"):
        _ = server.dsn


def test_it_listens_on_no_network_address(server: EmbeddedPostgres) -> None:
    assert setting(server.dsn, "listen_addresses") == ""
    assert setting(server.dsn, "unix_socket_permissions") == "0700"


def test_what_the_options_say_reaches_the_server(options: EmbeddedOptions) -> None:
    with EmbeddedPostgres(replace(options, shared_buffers_mb=24, max_connections=33)) as server:
        assert setting(server.dsn, "shared_buffers") == "24MB"
        assert setting(server.dsn, "max_connections") == "33"
        assert setting(server.dsn, "fsync") == "off"
        assert setting(server.dsn, "timezone") == "UTC"


def test_a_server_that_exits_early_is_explained_by_its_log(options: EmbeddedOptions) -> None:
    options.data_dir.joinpath("postgres.log").write_text("an older run's line\n")
    server = EmbeddedPostgres(replace(options, max_connections=-1))

    with pytest.raises(PostgresError) as caught:
        server.start()

    assert re.search(
        r"stopped while starting \(exit code 1\).*postgres\.log ends: .*FATAL.*-1", str(caught.value)
    )
    assert "older run" not in str(caught.value)
    with EmbeddedPostgres(options) as working:  # nothing stayed locked
        assert rows(working.dsn, "SELECT 1") == [(1,)]


def test_a_broken_configuration_file_is_explained_by_its_log(options: EmbeddedOptions) -> None:
    with (options.data_dir / "cluster" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")

    with pytest.raises(PostgresError, match="unrecognized configuration parameter"):
        EmbeddedPostgres(options).start()


def test_a_server_that_is_not_ready_in_time_is_stopped(options: EmbeddedOptions) -> None:
    with pytest.raises(PostgresError, match="not ready in time"):
        EmbeddedPostgres(replace(options, start_seconds=-1)).start()

    assert not (options.data_dir / "cluster" / "postmaster.pid").exists()


def test_variables_meant_for_clients_do_not_reach_the_server(
    options: EmbeddedOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PGPORT": "7777",
        "PGDATA": "/nonexistent",
        "PGHOST": "example.invalid",
        "PGUSER": "eve",
        "PGDATABASE": "other",
        "LC_ALL": "xx_XX",
        "TZ": "Asia/Tokyo",
        "TENURE_SECRET": "abc",
    }.items():
        monkeypatch.setenv(name, value)

    with EmbeddedPostgres(options) as server:
        assert rows(server.dsn, "SELECT current_user, current_database()") == [("postgres", "tenure")]
        assert setting(server.dsn, "port") == "5432"
        assert setting(server.dsn, "log_timezone") == "UTC"
        environment = Path(f"/proc/{server.pid}/environ")
        if environment.exists() and os.access(environment, os.R_OK):
            assert b"TENURE_SECRET" not in environment.read_bytes()


def test_variables_meant_for_clients_do_not_reach_initdb(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGPORT": "7777", "PGDATA": "/nonexistent", "LC_ALL": "xx_XX", "LANG": "yy"}.items():
        monkeypatch.setenv(name, value)

    with EmbeddedPostgres(EmbeddedOptions(place / "data", durable=False)) as server:
        assert rows(server.dsn, "SELECT datname FROM pg_database WHERE datcollate LIKE 'C%'")


def test_a_ctrl_c_in_our_terminal_does_not_reach_the_server(serve: Serve, data_dir: Path) -> None:
    child = serve(data_dir)
    assert child.stdout is not None
    pid, dsn = int(child.stdout.readline()), child.stdout.readline()

    os.killpg(child.pid, signal.SIGINT)

    assert child.stdout.readline() == "interrupted\n"
    assert rows(dsn, "SELECT 1") == [(1,)]
    assert os.getsid(pid) == pid


def test_a_server_deaf_to_sigint_is_stopped_by_sigquit(tmp_path: Path) -> None:
    with deaf_to(signal.SIGINT) as deaf:
        Postmaster(deaf, DataDirectory.at(tmp_path), 0).stop(fast=0.05)

    assert deaf.returncode == -signal.SIGQUIT


def test_a_server_that_nothing_stops_is_reported(tmp_path: Path) -> None:
    with deaf_to(signal.SIGINT, signal.SIGQUIT) as deaf:
        with pytest.raises(PostgresError, match=rf"process {deaf.pid}\) does not stop"):
            Postmaster(deaf, DataDirectory.at(tmp_path), 0).stop(fast=0.05, immediate=0.05)
        deaf.kill()


def test_a_log_that_has_grown_large_is_put_aside(options: EmbeddedOptions) -> None:
    log = options.data_dir / "postgres.log"
    with log.open("wb") as file:
        file.truncate(LOG_BYTES + 1)

    with EmbeddedPostgres(options):
        assert log.stat().st_size < 100_000
    assert log.with_name("postgres.log.1").stat().st_size == LOG_BYTES + 1


def test_a_log_that_is_a_symbolic_link_is_not_followed(options: EmbeddedOptions, place: Path) -> None:
    log = options.data_dir / "postgres.log"
    log.unlink()
    log.symlink_to(place / "elsewhere")

    with pytest.raises(PostgresError, match="cannot be used"):
        EmbeddedPostgres(options).start()
    assert not (place / "elsewhere").exists()
