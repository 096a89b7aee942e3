import os
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest

from tenure_server.settings import SETTINGS, Settings, SettingsError, read_settings

ACCEPTED: list[tuple[str, str, object]] = [
    ("dsn", "postgresql://u:p@db/tenure", "postgresql://u:p@db/tenure"),
    ("dsn", "host=/run user=tenure", "host=/run user=tenure"),
    ("listen", "[::1]:0", ("[::1]:0",)),
    ("listen", "unix:/run/tenure.sock, localhost:65535", ("unix:/run/tenure.sock", "localhost:65535")),
    ("insecure", "Yes", True),
    ("insecure", "0", False),
    ("reflection", "off", "off"),
    ("data_dir", "/srv/tenure", Path("/srv/tenure")),
    ("pg_run_as", "_postgres-1", "_postgres-1"),
    ("pool_size", "1", 1),
    ("pool_size", "100", 100),
    ("max_waiters", "1", 1),
    ("max_waiters", "1000000", 1_000_000),
    ("max_streams", "100000", 100_000),
    ("sweep_interval", "100ms", timedelta(milliseconds=100)),
    ("sweep_interval", "1m", timedelta(minutes=1)),
    ("poll_interval", "2s", timedelta(seconds=2)),
    ("retention", "0", timedelta(0)),
    ("retention", "1m", timedelta(minutes=1)),
    ("retention", "3650d", timedelta(days=3650)),
    ("request_id_retention", "30d", timedelta(days=30)),
    ("grace", "0", timedelta(0)),
    ("grace", "1h", timedelta(hours=1)),
    ("log_level", "debug", "debug"),
    ("log_format", "json", "json"),
]

REFUSED: list[tuple[str, str]] = [
    ("dsn", "db.example:5432"),
    ("dsn", "postgresql://u@db/\0"),
    ("listen", "50051"),
    ("listen", "localhost:65536"),
    ("listen", "unix:relative.sock"),
    ("listen", "localhost:1,localhost:1"),
    ("listen", "localhost:1,"),
    ("listen", "http://localhost:1"),
    ("insecure", "maybe"),
    ("reflection", "On"),
    ("data_dir", "a\0b"),
    ("pg_run_as", "root; rm"),
    ("pool_size", "0"),
    ("pool_size", "101"),
    ("pool_size", "4.5"),
    ("pool_size", "-4"),
    ("pool_size", "٤"),
    ("max_waiters", "0"),
    ("max_waiters", "1000001"),
    ("max_streams", "0"),
    ("max_streams", "100001"),
    ("sweep_interval", "99ms"),
    ("sweep_interval", "61s"),
    ("sweep_interval", "1"),
    ("sweep_interval", "0"),
    ("poll_interval", "1.5s"),
    ("retention", "59s"),
    ("retention", "3651d"),
    ("retention", "999999999999d"),
    ("request_id_retention", "0"),
    ("request_id_retention", "31d"),
    ("grace", "999ms"),
    ("grace", "3601s"),
    ("log_level", "trace"),
    ("log_format", "xml"),
]

ROWS = {setting.name: setting for setting in SETTINGS}


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    """A file that only we can read."""
    path = tmp_path / "some.pem"
    path.write_text("-----BEGIN\n")
    path.chmod(0o600)
    return path


def test_without_flags_and_environment_the_defaults_of_the_table_hold() -> None:
    assert read_settings({}, {}) == Settings()


def test_the_table_and_the_settings_have_the_same_names_in_the_same_order() -> None:
    assert [setting.name for setting in SETTINGS] == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("name,text,value", ACCEPTED)
def test_what_the_rule_allows_is_read_from_flag_and_variable_alike(
    name: str, text: str, value: object
) -> None:
    by_flag = read_settings({name: text}, {})
    by_variable = read_settings({}, {ROWS[name].variable: text})

    assert getattr(by_flag, name) == value
    assert by_flag == by_variable


@pytest.mark.parametrize("name,text", REFUSED)
def test_what_breaks_the_rule_is_refused_in_one_sentence_that_names_flag_and_rule(
    name: str, text: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({name: text}, {})

    sentence = str(refused.value)
    assert sentence.startswith(f"{ROWS[name].flag} must be {ROWS[name].rule.words}")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_a_bad_variable_is_called_by_its_own_name() -> None:
    with pytest.raises(
        SettingsError, match=r"^TENURE_POOL_SIZE must be a whole number from 1 to 100, not 'x'"
    ):
        read_settings({}, {"TENURE_POOL_SIZE": "x"})


def test_a_flag_goes_before_its_variable() -> None:
    assert read_settings({"pool_size": "7"}, {"TENURE_POOL_SIZE": "bad"}).pool_size == 7


def test_an_empty_variable_counts_as_none_and_an_empty_flag_does_not() -> None:
    assert read_settings({}, {"TENURE_DSN": ""}).dsn is None
    with pytest.raises(SettingsError):
        read_settings({"dsn": ""}, {})


def test_a_refused_dsn_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({"dsn": "hunter2"}, {})

    assert "hunter2" not in str(refused.value)


def test_the_settings_do_not_show_the_dsn() -> None:
    assert "hunter2" not in repr(read_settings({"dsn": "postgresql://u:hunter2@db/t"}, {}))


def test_the_dsn_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "dsn"
    path.write_text("host=db user=u password=p\n")

    assert read_settings({}, {"TENURE_DSN_FILE": str(path)}).dsn == "host=db user=u password=p"


def test_a_dsn_and_a_file_with_one_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^Give either TENURE_DSN or --dsn-file, not both\.$"):
        read_settings({"dsn_file": str(tmp_path)}, {"TENURE_DSN": "host=db"})


def test_a_dsn_file_with_something_else_is_refused_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "dsn"
    path.write_text("hunter2")

    with pytest.raises(SettingsError, match=r"--dsn-file: .* must hold a connection string") as refused:
        read_settings({"dsn_file": str(path)}, {})
    assert "hunter2" not in str(refused.value)


def test_certificate_and_key_go_together(pem: Path) -> None:
    settings = read_settings({"tls_cert": str(pem), "tls_key": str(pem), "tls_client_ca": str(pem)}, {})

    assert settings.tls_key == pem


@pytest.mark.parametrize(
    "alone,other", [("tls_cert", "--tls-key"), ("tls_key", "--tls-cert"), ("tls_client_ca", "--tls-cert")]
)
def test_part_of_tls_alone_is_refused(alone: str, other: str, pem: Path) -> None:
    with pytest.raises(SettingsError, match=f"^{ROWS[alone].flag} needs {other} as well.$"):
        read_settings({alone: str(pem)}, {})


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o602, 0o601])
def test_a_key_that_every_user_can_reach_is_refused(mode: int, pem: Path) -> None:
    key = pem.with_name("key.pem")
    key.write_text("secret")
    key.chmod(mode)

    with pytest.raises(SettingsError, match=r"--tls-key: .* is open to every user .* 0600 or 0640\.$"):
        read_settings({"tls_cert": str(pem), "tls_key": str(key)}, {})


def test_a_key_behind_a_link_is_used(pem: Path) -> None:
    link = pem.with_name("link.pem")
    link.symlink_to(pem)

    assert read_settings({"tls_cert": str(link), "tls_key": str(link)}, {}).tls_key == link


@pytest.mark.parametrize(
    "kind,problem",
    [
        ("absent", "cannot be read"),
        ("dangling", "cannot be read"),
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("empty", "empty or larger"),
    ],
)
def test_a_certificate_that_is_no_readable_file_is_refused(kind: str, problem: str, pem: Path) -> None:
    path = pem.with_name(kind)
    if kind == "dangling":
        path.symlink_to(pem.with_name("nowhere"))
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "empty":
        path.touch()

    with pytest.raises(SettingsError, match=f"^--tls-cert: .*{problem}") as refused:
        read_settings({"tls_cert": str(path), "tls_key": str(pem)}, {})
    assert str(refused.value).endswith(".")


def test_behind_a_pooler_nobody_listens() -> None:
    assert read_settings({}, {}).listens_for_notifications
    assert not read_settings({"notify": "off"}, {}).listens_for_notifications
    assert not read_settings({"pooler": "on"}, {}).listens_for_notifications
