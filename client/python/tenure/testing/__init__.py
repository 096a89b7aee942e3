"""A pytest plugin for tests that need a Tenure server: the fixtures tenure_server and tenure_client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tenure.client import Client
    from tenure.testing.server import TenureServer

# pytest loads this module in every run where tenure is installed, so gRPC is imported by the fixtures.


@pytest.fixture(scope="session")
def tenure_server() -> Iterator[TenureServer]:
    """A server of this test session, with a PostgreSQL of its own or that of TENURE_TEST_DSN."""
    from tenure.testing.server import ServerUnavailable, serve

    try:
        with serve() as server:
            yield server
    except ServerUnavailable as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def tenure_client(tenure_server: TenureServer) -> Iterator[Client]:
    """A client of tenure_server; jobs of other tests lie in the same scope, so choose queues of your own."""
    from tenure.client import Client

    with Client(tenure_server.target) as client:
        yield client
