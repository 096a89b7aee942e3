"""A fake server for each test that asks for one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenure import Worker
from tests.clients.python.fake_server import FakeServer, running
from tests.clients.python.lease_board import LeaseBoard


@pytest.fixture
async def fake() -> AsyncIterator[FakeServer]:
    directory = Path(tempfile.mkdtemp(prefix="fake-"))  # short enough for a Unix socket
    try:
        async with running(directory) as server:
            yield server
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
async def board(fake: FakeServer) -> LeaseBoard:
    return LeaseBoard(fake)


@pytest.fixture
def worker(fake: FakeServer) -> Worker:
    return Worker(fake.target, concurrency=4, grace=20)
