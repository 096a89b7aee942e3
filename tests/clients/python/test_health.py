"""What a server says of itself, or that it says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1.health import HealthServicer
from grpc_health.v1.health_pb2 import HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from tenure.health import Health, health_of, is_serving


@pytest.fixture
def spoken() -> HealthServicer:
    """What the server says."""
    return HealthServicer()


@pytest.fixture
def target(spoken: HealthServicer, socket_dir: Path) -> Iterator[str]:
    """Where it says so."""
    target = f"unix:{socket_dir / 'health.sock'}"
    with ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool)
        add_HealthServicer_to_server(spoken, server)
        server.add_insecure_port(target)
        server.start()
        yield target
        server.stop(None).wait()


@pytest.mark.parametrize(
    "said, health",
    [
        (HealthCheckResponse.SERVING, Health.SERVING),
        (HealthCheckResponse.NOT_SERVING, Health.NOT_SERVING),
        (HealthCheckResponse.UNKNOWN, Health.NOT_SERVING),
    ],
)
def test_the_health_is_what_the_server_says(
    said: int, health: Health, spoken: HealthServicer, target: str
) -> None:
    spoken.set("", said)

    assert health_of(target) is health
    assert is_serving(target) is (health is Health.SERVING)


def test_nobody_is_unreachable(socket_dir: Path) -> None:
    target = f"unix:{socket_dir / 'none.sock'}"

    assert health_of(target) is Health.UNREACHABLE
    assert not is_serving(target)


def test_a_server_without_tls_is_unreachable_by_tls(target: str) -> None:
    assert health_of(target, root_certificates=b"no certificate") is Health.UNREACHABLE


def test_a_target_that_names_no_server_is_refused() -> None:
    with pytest.raises(ValueError, match="no target"):
        health_of("https://")
