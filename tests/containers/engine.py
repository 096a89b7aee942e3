"""A container engine, asked through its own command as an operator would."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from tenure.health import is_serving

HARDENED = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
SECONDS = 60.0
LOOK_AGAIN = 0.1


def run(*command: str, seconds: float = SECONDS) -> "subprocess.CompletedProcess[str]":
    """Run a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)
    return done


def docker(*arguments: str, seconds: float = SECONDS) -> str:
    """What a command of the engine prints."""
    return run("docker", *arguments, seconds=seconds).stdout.strip()


class Container:
    """A container that runs or has run."""

    def __init__(self, name: str) -> None:
        self.name = name

    def inspect(self, template: str) -> str:
        return docker("inspect", "--format", template, self.name)

    def execute(self, *command: str) -> str:
        return docker("exec", self.name, *command)

    def restart(self) -> None:
        """Start it again after it has ended."""
        docker("start", self.name)

    def stop(self) -> float:
        """Stop it as an operator does, who gives no time of his own; returns the seconds that took."""
        begun = time.monotonic()
        docker("stop", self.name)
        return time.monotonic() - begun

    @property
    def exit_code(self) -> int:
        """Waits for its end."""
        return int(docker("wait", self.name))

    @property
    def log(self) -> str:
        """What it wrote, stdout first."""
        done = run("docker", "logs", self.name)
        return done.stdout + done.stderr

    @property
    def target(self) -> str:
        """Where clients on this machine find it; after a restart that is another port."""
        return docker("port", self.name, "50051/tcp").splitlines()[0]

    def wait_until_serving(self) -> None:
        self.wait_until(lambda: is_serving(self.target))

    def wait_until_healthy(self) -> None:
        self.wait_until(lambda: self.inspect("{{.State.Health.Status}}") == "healthy")

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Wait while it runs; fails the test when it has ended, or takes too long."""
        end = time.monotonic() + SECONDS
        while self.inspect("{{.State.Running}}") == "true" and time.monotonic() < end:
            if true():
                return
            time.sleep(LOOK_AGAIN)
        pytest.fail(f"{self.name} does not come to it:\n{self.log}", pytrace=False)


@contextmanager
def started(image: str, *options: str) -> Iterator[Container]:
    """A container with these options of `docker run`; removed at the end with its unnamed volumes."""
    name = some_name()
    try:
        docker("run", "--detach", "--name", name, *options, image)
        yield Container(name)
    finally:
        docker("rm", "--force", "--volumes", name)


@contextmanager
def volume() -> Iterator[str]:
    """A volume with a name."""
    name = docker("volume", "create", some_name())
    try:
        yield name
    finally:
        docker("volume", "rm", name)


def some_name() -> str:
    """A name that nothing else has."""
    return f"tenure-test-{uuid4().hex[:12]}"
