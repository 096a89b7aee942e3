"""The engine, or the reason why there is none, and the images."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.containers.engine import docker

ROOT = Path(__file__).resolve().parents[2]
BUILD_SECONDS = 600.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs an engine, and the first test waits for the image."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.containers)
            item.add_marker(pytest.mark.timeout(BUILD_SECONDS))


@pytest.fixture(scope="session", autouse=True)
def engine() -> None:
    """A container engine that answers; skips the test where there is none."""
    reason = _why_not()
    if reason:
        pytest.skip(f"no container engine: {reason}")


def _why_not() -> str:
    if shutil.which("docker") is None:
        return "there is no command docker"
    command = ["docker", "version", "--format", "{{.Server.Version}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return "it does not answer"
    return done.stderr.strip() if done.returncode else ""


@pytest.fixture(scope="session")
def image(engine: None) -> str:
    """Our image, built from this tree; TENURE_TEST_IMAGE names another one."""
    given = os.environ.get("TENURE_TEST_IMAGE")
    if given:
        return given
    name = "tenure:test"
    base = os.environ.get("TENURE_TEST_BASE_IMAGE")
    options = ["--build-arg", f"BASE={base}"] if base else []
    with _one_at_a_time():
        # The machine's own network: that of a container may not reach a package index.
        docker(
            "build", "--quiet", "--network", "host", *options, *_proxies(), "--tag", name, str(ROOT),
            seconds=BUILD_SECONDS,
        )  # fmt: skip
    return name


def _proxies() -> Iterator[str]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        for spelling in (name, name.lower()):
            if spelling in os.environ:
                yield from ("--build-arg", spelling)  # without its value, which the command knows


class _one_at_a_time:
    """Several test processes need one image: the first builds it, the others find every layer made."""

    def __enter__(self) -> None:
        self._file = (Path(tempfile.gettempdir()) / f"tenure-test-image-{os.getuid()}.lock").open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


@pytest.fixture(scope="session")
def postgres_image() -> str:
    """The PostgreSQL to test against."""
    return os.environ.get("TENURE_TEST_POSTGRES_IMAGE", "postgres:18")
