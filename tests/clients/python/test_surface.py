"""What the package offers, and what it costs to have it installed."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure import AsyncClient, Client
from tools.blocking_client import blocking


def test_every_exported_name_is_there() -> None:
    assert all(hasattr(tenure, name) for name in tenure.__all__)
    assert list(tenure.__all__) == sorted(tenure.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Clinet'"):
        _ = tenure.Clinet


def test_the_pytest_plugin_loads_without_grpc() -> None:
    code = "import sys, tenure.testing; sys.exit('grpc' in sys.modules)"
    paths = [str(Path(next(iter(tenure.__path__))).parent)]

    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {paths}; {code}"], check=False)

    assert done.returncode == 0


def _calls(client: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(function)
        for name, function in inspect.getmembers(client, inspect.isfunction)
        if not name.startswith("_")
    }


def test_both_clients_have_the_same_calls_with_the_same_parameters() -> None:
    asynchronous, blocked = _calls(AsyncClient), _calls(Client)

    assert list(asynchronous) == list(blocked)
    for name, signature in asynchronous.items():
        assert signature.parameters == blocked[name].parameters, name


def test_no_call_of_the_blocking_client_is_a_coroutine() -> None:
    functions: list[Any] = [function for _, function in inspect.getmembers(Client, inspect.isfunction)]

    assert not any(
        inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        for function in functions
    )


def test_what_waits_is_taken_out_of_the_blocking_client() -> None:
    source = """\
import asyncio
import grpc.aio
from tenure.async_client.jobs import AsyncJobCalls

__all__ = ["AsyncJobCalls"]

class AsyncThing(AsyncJobCalls):
    async def __aenter__(self) -> AsyncThing:
        async with self.door as door:
            await asyncio.sleep(await door.delay())
        async for call in door: print("await")
        return self
"""

    assert (
        blocking(source)
        == """\
import time
from tenure.client.jobs import JobCalls

__all__ = ["JobCalls"]

class Thing(JobCalls):
    def __enter__(self) -> Thing:
        with self.door as door:
            time.sleep(door.delay())
        for call in door: print("await")
        return self
"""
    )
