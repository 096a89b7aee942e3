import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from tenure_server.postgres import PostgresError
from tenure_server.postgres.account import Account, choose_account

Become = Callable[..., None]


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Become:
    """Makes this process look like another user on a machine with these accounts."""

    def pretend(uid: int, **accounts: int) -> None:
        entries = {
            name: pwd.struct_passwd((name, "x", number, number + 1, "", "/", "/bin/sh"))
            for name, number in accounts.items()
        }
        by_uid = {entry.pw_uid: entry for entry in entries.values()}
        monkeypatch.setattr(os, "geteuid", lambda: uid)
        monkeypatch.setattr(os, "getegid", lambda: uid + 1)
        monkeypatch.setattr(pwd, "getpwnam", entries.__getitem__)
        monkeypatch.setattr(pwd, "getpwuid", by_uid.__getitem__)

    return pretend


def test_an_ordinary_user_runs_it_as_itself(become: Become) -> None:
    become(1000, ada=1000, postgres=26)

    assert choose_account(None, []) == Account("ada", 1000, 1001, demoted=False)


def test_an_ordinary_user_cannot_choose_another_account(become: Become) -> None:
    become(1000, ada=1000, postgres=26)

    with pytest.raises(PostgresError, match="only root can run PostgreSQL as 'postgres'"):
        choose_account("postgres", [])


def test_a_user_id_without_a_name_is_told_to_bring_a_dsn(become: Become) -> None:
    become(12345, root=0)

    with pytest.raises(PostgresError, match=r"user id 12345 has no entry in the passwd .*DSN"):
        choose_account(None, [])


def test_root_steps_down_to_the_configured_account_first(become: Become) -> None:
    become(0, root=0, ada=1000, postgres=26)

    assert choose_account("ada", []) == Account("ada", 1000, 1001, demoted=True)


def test_root_steps_down_to_the_owner_of_existing_data(
    become: Become, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become(0, root=0, ada=1000, postgres=26)
    owners = {"cluster": 0, "data": 1000}
    monkeypatch.setattr(os.path, "lexists", lambda path: path.name in owners)
    monkeypatch.setattr(
        Path, "lstat", lambda path: os.stat_result([0, 0, 0, 0, owners[path.name], 0, 0, 0, 0, 0])
    )

    assert choose_account(None, [tmp_path / "absent", tmp_path / "cluster", tmp_path / "data"]).name == "ada"


def test_root_steps_down_to_postgres_and_else_to_nobody(become: Become) -> None:
    become(0, root=0, nobody=65534, postgres=26)
    assert choose_account(None, []).name == "postgres"

    become(0, root=0, nobody=65534)
    assert choose_account(None, []).name == "nobody"


def test_root_without_any_account_to_step_down_to_is_told_so(become: Become) -> None:
    become(0, root=0)

    with pytest.raises(PostgresError, match="neither a 'postgres' nor a 'nobody'"):
        choose_account(None, [])


@pytest.mark.parametrize("name, reason", [("root", "refuses to run as root"), ("eve", "no account 'eve'")])
def test_an_account_that_cannot_be_used_is_refused(become: Become, name: str, reason: str) -> None:
    become(0, root=0)

    with pytest.raises(PostgresError, match=reason):
        choose_account(name, [])


def test_root_without_the_right_to_change_owners_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)

    with pytest.raises(PostgresError, match=r"this root may not give .*ordinary user, or give the DSN"):
        Account("nobody", 65534, 65534, demoted=True).give(tmp_path)
