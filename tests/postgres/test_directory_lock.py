import os
from pathlib import Path

import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, PostgresError
from tenure_server.postgres.directory_lock import locked
from tests.postgres.conftest import Serve
from tests.postgres.serving import rows


def test_a_second_process_on_one_directory_is_told_who_has_it(serve: Serve, options: EmbeddedOptions) -> None:
    child = serve(options.data_dir)
    assert child.stdout is not None
    child.stdout.readline()
    dsn = child.stdout.readline()

    with pytest.raises(PostgresError, match=rf"in use by process {child.pid} on "):
        EmbeddedPostgres(options).start()
    assert rows(dsn, "SELECT 1") == [(1,)]


def test_a_second_server_in_one_process_is_refused(
    server: EmbeddedPostgres, options: EmbeddedOptions
) -> None:
    with pytest.raises(PostgresError, match=rf"in use by process {os.getpid()} on "):
        EmbeddedPostgres(options).start()
    with pytest.raises(PostgresError, match="in use by process"):
        server.start()

    assert rows(server.dsn, "SELECT 1") == [(1,)]


def test_the_lock_ends_with_its_block_and_its_file_stays(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / "lock"):
            pass

    assert (tmp_path / "lock").exists()


def test_postgresql_does_not_inherit_the_lock(serve: Serve, options: EmbeddedOptions) -> None:
    child = serve(options.data_dir)
    assert child.stdout is not None
    child.stdout.readline()

    child.kill()
    child.wait()

    with locked(options.data_dir / "lock"):
        pass
