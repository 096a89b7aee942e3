"""The compose file, brought up and down as it is."""

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.containers.conftest import ROOT
from tests.containers.engine import Container, docker, run, some_name
from tests.containers.life import finish_a_job

UP_SECONDS = 120.0
PASSWORD = "p@ss/w ord$x%"

Compose = Callable[..., str]


@pytest.fixture
def compose(
    engine: None, image: str, postgres_image: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Compose]:
    """Runs compose on a project of the test's own."""
    command = [*_command(), "--file", str(ROOT / "compose.yaml"), "--project-name", some_name()]
    chosen = {
        "TENURE_IMAGE": image,
        "POSTGRES_IMAGE": postgres_image,
        "POSTGRES_PASSWORD": PASSWORD,
        "TENURE_PORT": "0",
    }
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)

    def run_compose(*arguments: str) -> str:
        return run(*command, *arguments, seconds=UP_SECONDS).stdout.strip()

    yield run_compose
    run_compose("down", "--volumes", "--timeout", "5")


def _command() -> list[str]:
    for command in (["docker", "compose"], ["docker-compose"]):
        try:
            done = subprocess.run([*command, "version"], capture_output=True, timeout=30, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            return command
    pytest.skip("no compose: neither `docker compose` nor `docker-compose` is there")


def test_it_comes_up_serves_and_drains_when_taken_down(compose: Compose) -> None:
    compose("up", "--detach", "--no-build")
    server = Container(compose("ps", "--quiet", "tenure"))
    server.wait_until_healthy()

    job_id = finish_a_job(server.target)
    assert job_id in server.execute("tenure", "jobs", "list")
    with ThreadPoolExecutor(2) as pool:
        exit_code = pool.submit(docker, "wait", server.name)
        log = pool.submit(run, "docker", "logs", "--follow", server.name)
        compose("down", "--volumes")

    assert exit_code.result() == "0"
    written = log.result().stderr
    assert written.index("draining for at most 25 s") < written.index("stopped")
