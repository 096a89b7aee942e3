import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure_server.settings import SETTINGS, read_settings
from tenure_server.settings.masking import masked_dsn
from tenure_server.settings.rules import read_duration, show_duration
from tools import configuration_page
from tools.generate import ROOT

ROWS = {setting.name: setting for setting in SETTINGS}
SECRET = "Zx9qSecret7"

DSNS = [
    f"postgresql://user:{SECRET}@host:5432/db?sslmode=require",
    f"postgres://user:{SECRET}@h1,h2:5433/db",
    f"postgresql://user:a@{SECRET}@host/db",
    f"postgresql://user:{SECRET}?x@host/db",
    f"postgresql:///db?host=/run&user=u&password={SECRET}",
    f"postgresql://host/db?password=a@{SECRET}",
    f"postgresql://host/db?pass%77ord={SECRET}&x=1",
    f"postgresql://host/db?sslpassword={SECRET}",
    f"host=db user=u password={SECRET}",
    f"host=db password = '{SECRET} with blanks' user=u",
    rf"host=db password='it\'s {SECRET}' user=u",
    rf"password=a\ {SECRET} host=db",
    f"host=db sslpassword={SECRET}",
    f"host=db PASSWORD={SECRET}",
    f"user='a password=' password={SECRET}",
    f"host='unclosed password={SECRET}",
]


@pytest.mark.parametrize("dsn", DSNS)
def test_no_form_of_a_dsn_shows_its_password(dsn: str) -> None:
    shown = masked_dsn(dsn)

    assert SECRET not in shown
    assert "***" in shown


def test_what_is_no_secret_stays_readable() -> None:
    assert masked_dsn("postgresql://u:p@db:5432/t?sslmode=require") == (
        "postgresql://u:***@db:5432/t?sslmode=require"
    )
    assert masked_dsn("host='/my run' user=u password=p") == "host='/my run' user=u password=***"
    assert masked_dsn("postgresql://u@db/t") == "postgresql://u@db/t"


PASSWORDS = st.text(st.sampled_from(string.ascii_letters + " '\\=@:/?&%#"), min_size=1, max_size=12)


@given(PASSWORDS)
def test_no_quoted_password_is_shown(password: str) -> None:
    secret = SECRET + password + SECRET
    quoted = secret.replace("\\", "\\\\").replace("'", "\\'")

    assert SECRET not in masked_dsn(f"host=db password='{quoted}' user=u")


@pytest.mark.parametrize("text", ["0", "1ms", "1500ms", "59s", "1m", "90s", "2h", "36h", "7d"])
def test_a_duration_shown_reads_as_itself(text: str) -> None:
    assert read_duration(show_duration(read_duration(text))) == read_duration(text)


def test_every_setting_can_be_shown() -> None:
    settings = read_settings({"dsn": f"host=db password={SECRET}", "listen": "[::1]:1,unix:/s"}, {})

    shown = {setting.name: setting.show(getattr(settings, setting.name)) for setting in SETTINGS}

    assert shown["dsn"] == "host=db password=***"
    assert shown["listen"] == "[::1]:1, unix:/s"
    assert shown["retention"] == "7d"
    assert shown["notify"] == "on"
    assert shown["tls_key"] == "none"


def test_the_page_of_settings_is_what_the_table_says() -> None:
    pages = configuration_page.generate(ROOT)

    for path, content in pages.items():
        assert (ROOT / path).read_bytes() == content


def test_the_page_has_a_row_for_every_setting() -> None:
    [page] = configuration_page.generate(Path()).values()

    for setting in SETTINGS:
        assert f"| `{setting.variable}` |" in page.decode()
