import os
import time
from pathlib import Path

import pytest

from tenure_server.postgres import (
    Binaries,
    EmbeddedOptions,
    EmbeddedPostgres,
    PostgresError,
    default_data_dir,
)
from tests.postgres.serving import SERVE, python_child, quick_options, rows, setting


def test_a_new_data_directory_gets_a_cluster_with_our_database(place: Path) -> None:
    with EmbeddedPostgres(EmbeddedOptions(place / "some" / "where")) as server:
        assert rows(server.dsn, "SELECT current_database(), current_user") == [("tenure", "postgres")]
        assert setting(server.dsn, "server_encoding") == "UTF8"
        assert setting(server.dsn, "fsync") == "on"
        assert (
            rows(server.dsn, "SELECT auth_method FROM pg_hba_file_rules WHERE type = 'host'")
            == [("reject",)] * 4
        )


def test_text_sorts_by_bytes_and_changes_case_by_unicode(server: EmbeddedPostgres) -> None:
    assert rows(server.dsn, "SELECT 'a' < 'Z', upper('é')") == [(False, "É")]


def test_the_systems_own_postgresql_serves_too(
    place: Path, system_binaries: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = EmbeddedOptions(place / "data", bin_dir=system_binaries.bin_dir, durable=False)

    with EmbeddedPostgres(options) as server:
        assert setting(server.dsn, "server_version").startswith(f"{system_binaries.major}.")
        rows(server.dsn, "CREATE TABLE kept AS SELECT 7 AS n")

    # Without a bin directory the cluster's own major is found again, although the wheel comes first.
    with EmbeddedPostgres(quick_options(place / "data")) as server:
        assert rows(server.dsn, "SELECT n FROM kept") == [(7,)]


def test_a_cluster_of_a_major_that_is_not_at_hand_is_refused(data_dir: Path) -> None:
    (data_dir / "cluster" / "PG_VERSION").write_text("12\n")

    with pytest.raises(PostgresError, match=r"made by PostgreSQL 12, .*pg_dump"):
        EmbeddedPostgres(quick_options(data_dir)).start()


def test_an_explicit_bin_dir_of_another_major_than_the_cluster_is_refused(
    data_dir: Path, system_binaries: Binaries
) -> None:
    if (data_dir / "cluster" / "PG_VERSION").read_text().strip() == str(system_binaries.major):
        pytest.skip("the wheel and the system have the same major")
    options = EmbeddedOptions(data_dir, bin_dir=system_binaries.bin_dir)

    with pytest.raises(PostgresError, match="which is not at hand"):
        EmbeddedPostgres(options).start()


def test_a_cluster_that_an_earlier_run_left_half_made_is_made_anew(place: Path) -> None:
    half_made = place / "data" / "cluster.new-x"
    half_made.mkdir(parents=True)
    (half_made / "PG_VERSION").write_text("18\n")

    with EmbeddedPostgres(quick_options(place / "data")) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]
    assert not half_made.exists()


def test_killing_us_in_the_middle_of_initdb_leaves_no_cluster_behind(place: Path) -> None:
    child = python_child(SERVE, str(place / "data"))
    while not list(place.glob("data/cluster.new-*/PG_VERSION")):
        assert child.poll() is None
        time.sleep(0.005)
    child.kill()
    child.communicate()
    assert not (place / "data" / "cluster").exists()

    with EmbeddedPostgres(quick_options(place / "data")) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]


def test_an_initdb_that_fails_is_quoted_and_leaves_nothing(place: Path) -> None:
    bin_dir = place / "bin"
    bin_dir.mkdir()
    (bin_dir / "postgres").write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 16.1'\n")
    (bin_dir / "initdb").write_text(
        '#!/bin/sh\ncase "$1" in -D) echo 16 >"$2/PG_VERSION"; echo "no space" >&2; exit 1;; esac\n'
    )
    for name in ("postgres", "initdb"):
        (bin_dir / name).chmod(0o755)

    with pytest.raises(PostgresError, match=r"initdb could not make .*: no space$"):
        EmbeddedPostgres(EmbeddedOptions(place / "data", bin_dir=bin_dir)).start()
    assert [path.name for path in (place / "data").iterdir()] == ["lock"]


def test_an_unknown_locale_falls_back_to_c(place: Path, system_binaries: Binaries) -> None:
    if system_binaries.major >= 17:
        pytest.skip("from 17 on no locale of the system is used")
    bin_dir = place / "bin"
    bin_dir.mkdir()
    (bin_dir / "postgres").symlink_to(system_binaries.program("postgres"))
    (bin_dir / "initdb").write_text(
        "#!/bin/sh\n"
        "case \"$*\" in *=C.UTF-8*) echo 'initdb: error: invalid locale name' >&2; exit 1;; esac\n"
        f'exec {system_binaries.program("initdb")} "$@"\n'
    )
    (bin_dir / "initdb").chmod(0o755)

    with EmbeddedPostgres(EmbeddedOptions(place / "data", bin_dir=bin_dir, durable=False)) as server:
        assert rows(server.dsn, "SELECT datcollate FROM pg_database WHERE datname = 'tenure'") == [("C",)]


def test_a_directory_with_other_files_is_not_touched(place: Path) -> None:
    (place / "data" / "cluster").mkdir(parents=True)
    (place / "data" / "cluster" / "letter.txt").write_text("dear")

    with pytest.raises(PostgresError, match="holds files but no PostgreSQL cluster"):
        EmbeddedPostgres(quick_options(place / "data")).start()
    assert (place / "data" / "cluster" / "letter.txt").read_text() == "dear"


def test_a_symbolic_link_or_a_file_is_no_data_directory(place: Path) -> None:
    (place / "real").mkdir()
    (place / "link").symlink_to(place / "real")
    (place / "file").write_text("")

    for name in ("link", "file"):
        with pytest.raises(PostgresError, match="is a file or a symbolic link"):
            EmbeddedPostgres(quick_options(place / name)).start()
    assert not list((place / "real").iterdir())


def test_another_servers_cluster_is_no_data_directory(place: Path) -> None:
    (place / "PG_VERSION").write_text("16\n")

    with pytest.raises(PostgresError, match="cluster of another PostgreSQL server"):
        EmbeddedPostgres(quick_options(place)).start()


def test_a_cluster_that_a_volume_opened_to_its_group_is_closed_again(options: EmbeddedOptions) -> None:
    cluster = options.data_dir / "cluster"
    cluster.chmod(0o2770)

    with EmbeddedPostgres(options) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]
    assert cluster.stat().st_mode & 0o777 == 0o700


def test_a_relative_data_directory_is_meant_from_here(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data_dir.parent)

    with EmbeddedPostgres(quick_options(Path("data"))) as server:
        monkeypatch.chdir("/")
        assert server.log_file == data_dir / "postgres.log"
        assert rows(server.dsn, "SELECT 1") == [(1,)]


def test_the_default_data_directory_of_an_ordinary_user_follows_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", "/home/ada")

    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_data_dir() == Path("/data/tenure/postgres")

    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert default_data_dir() == Path("/home/ada/.local/share/tenure/postgres")


def test_the_default_data_directory_of_root_is_outside_its_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    assert default_data_dir() == Path("/var/lib/tenure/postgres")
