import os
import pwd
import subprocess
from pathlib import Path

import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres
from tenure_server.postgres.account import choose_account
from tenure_server.postgres.socket_dir import PATH_BYTES, SOCKET_NAME, is_usable, remove_abandoned
from tests.postgres.conftest import Serve
from tests.postgres.serving import quick_options, rows, setting

KNOCK = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"


def socket_dir_of(server: EmbeddedPostgres) -> Path:
    return Path(setting(server.dsn, "unix_socket_directories"))


def moved(data_dir: Path, name: str) -> EmbeddedOptions:
    return quick_options(data_dir.rename(data_dir.with_name(name)))


def test_the_socket_lies_in_a_directory_that_is_closed_to_others(server: EmbeddedPostgres) -> None:
    directory = socket_dir_of(server)

    assert directory.stat().st_mode & 0o777 == 0o700
    assert (directory / SOCKET_NAME).is_socket()


@pytest.mark.usefixtures("as_root")
def test_another_user_is_refused_at_the_socket(server: EmbeddedPostgres) -> None:
    if not os.access("/usr/bin/python3", os.X_OK):
        pytest.skip("there is no Python that another user can run")
    directory = socket_dir_of(server)
    other = next(entry for entry in pwd.getpwall() if entry.pw_uid not in (0, directory.stat().st_uid))

    knock = subprocess.run(
        ["/usr/bin/python3", "-c", KNOCK, directory / SOCKET_NAME],
        user=other.pw_uid,
        group=other.pw_gid,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
    )

    assert "PermissionError: [Errno 13]" in knock.stderr


def test_too_long_a_path_falls_back_to_a_short_directory_that_goes_again(data_dir: Path) -> None:
    options = moved(data_dir, "x" * 100)

    with EmbeddedPostgres(options) as server:
        fallback = socket_dir_of(server)
        assert options.data_dir not in fallback.parents
        assert fallback.stat().st_mode & 0o777 == 0o700
        assert rows(server.dsn, "SELECT 1") == [(1,)]

    assert not fallback.exists()


def test_a_path_that_libpq_would_read_as_a_list_falls_back_too(data_dir: Path) -> None:
    with EmbeddedPostgres(moved(data_dir, "a,b")) as server:
        assert "," not in str(socket_dir_of(server))
        assert rows(server.dsn, "SELECT 1") == [(1,)]


def test_spaces_and_quotes_in_the_path_are_quoted(data_dir: Path) -> None:
    options = moved(data_dir, r"it's a \ path")

    with EmbeddedPostgres(options) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]
        assert options.data_dir / "socket" in (options.data_dir / "socket", socket_dir_of(server))


def test_a_fallback_directory_is_made_where_the_temporary_directory_is_too_long(
    data_dir: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = place / ("y" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))

    with EmbeddedPostgres(moved(data_dir, "x" * 100)) as server:
        assert socket_dir_of(server).parent == Path("/tmp")


def test_the_fallback_directory_of_a_killed_process_is_removed(serve: Serve, data_dir: Path) -> None:
    options = moved(data_dir, "x" * 100)
    child = serve(options.data_dir)
    assert child.stdout is not None
    child.stdout.readline()
    abandoned = Path(setting(child.stdout.readline(), "unix_socket_directories"))
    child.kill()
    child.wait()
    assert abandoned.is_dir()

    with EmbeddedPostgres(options) as server:
        assert socket_dir_of(server) != abandoned
        assert not abandoned.exists()


def test_nothing_but_a_temporary_socket_directory_is_ever_removed(place: Path) -> None:
    account = choose_account(None, [])
    other, link = place / "other", place / "tenure-link"
    other.mkdir()
    link.symlink_to(other)
    full = place / "tenure-full"
    full.mkdir()
    account.give(full)
    (full / "letter.txt").write_text("dear")

    for path in ("", str(other), str(link), str(full), str(place / "tenure-absent")):
        remove_abandoned(path, account)

    assert other.is_dir()
    assert (full / "letter.txt").exists()


@pytest.mark.parametrize("spare, usable", [(0, True), (-1, False)])
def test_the_limit_is_counted_in_bytes(spare: int, usable: bool) -> None:
    room = PATH_BYTES - len(SOCKET_NAME) - len(os.fsencode("/é//"))
    directory = Path("/é") / ("x" * (room - spare))

    assert len(os.fsencode(directory / SOCKET_NAME)) == PATH_BYTES - spare
    assert is_usable(directory) is usable
