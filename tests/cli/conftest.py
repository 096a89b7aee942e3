"""Running commands in this process, against a client that remembers what it was asked."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import tenure
from tenure_server.cli import main


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


class FakeClient:
    """Answers each call with what the test put in `answers`, errors included, and notes the calls."""

    answers: dict[str, Any]
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]]

    def __init__(self, target: str, **access: Any) -> None:
        type(self).calls.append(("Client", (target,), access))

    def __enter__(self) -> "FakeClient":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append((name, arguments, options))
            answer = self.answers[name]
            if isinstance(answer, list):
                answer = answer.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call

    @classmethod
    def call(cls, name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the only call of this name."""
        [found] = [(arguments, options) for called, arguments, options in cls.calls if called == name]
        return found


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TENURE_") and "TEST" not in name]:
        monkeypatch.delenv(name)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `tenure` with these arguments."""

    def run_command(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[FakeClient]:
    """The client that commands get."""
    FakeClient.answers, FakeClient.calls = {}, []
    monkeypatch.setattr(tenure, "Client", FakeClient)
    return FakeClient
