"""`tenure health`, which health checks of containers run."""

import json
from collections.abc import Iterator

import pytest

import tenure.health
from tenure.health import Health
from tenure.testing.server import TenureServer
from tests.cli.conftest import Run


def test_a_server_that_serves_is_healthy(run: Run, tenure_server: TenureServer) -> None:
    assert run("health", "--server", tenure_server.target) == (0, "SERVING\n", "")


def test_nobody_is_not_healthy(run: Run) -> None:
    ran = run("health", "--server", "unix:/nowhere/tenure.sock")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: no server answers at unix:/nowhere/tenure.sock")


def test_a_target_that_is_none_is_wrong_usage(run: Run) -> None:
    assert run("health", "--server", "https://").code == 2


def answers(*healths: Health) -> Iterator[Health]:
    """Each answer once; asking once more fails the test."""
    yield from healths
    pytest.fail("asked too often")


def test_a_server_that_starts_or_drains_is_not_healthy(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given = answers(Health.NOT_SERVING)
    monkeypatch.setattr(tenure.health, "health_of", lambda *_, **__: next(given))

    assert run("health") == (1, "", "error: the server at localhost:50051 is not serving\n")


@pytest.mark.parametrize(
    "health, code", [(Health.SERVING, 0), (Health.NOT_SERVING, 1), (Health.UNREACHABLE, 1)]
)
def test_programs_are_told_in_json(
    health: Health, code: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenure.health, "health_of", lambda *_, **__: health)

    ran = run("health", "--json")

    assert ran.code == code
    assert json.loads(ran.out) == {"server": "localhost:50051", "health": health.value}


def test_it_waits_until_the_server_serves(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given = answers(Health.UNREACHABLE, Health.NOT_SERVING, Health.SERVING)
    monkeypatch.setattr(tenure.health, "health_of", lambda *_, **__: next(given))

    assert run("health", "--wait", "30s").code == 0


def test_it_does_not_wait_for_ever(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenure.health, "health_of", lambda *_, **__: Health.UNREACHABLE)

    assert run("health", "--wait", "300ms").code == 1
