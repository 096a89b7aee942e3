"""Where a target leads, and what goes along with every call."""

from __future__ import annotations

import json

import pytest

from tenure import AsyncClient
from tenure.batches import batches
from tenure.channel import endpoint
from tenure.v1 import admin_service_pb2, job_pb2
from tenure.waits import call_timeout
from tests.clients.python.fake_server import FakeServer, replies


@pytest.mark.parametrize(
    "target, address, secure",
    [
        ("localhost:50051", "localhost:50051", False),
        ("unix:/run/tenure.sock", "unix:/run/tenure.sock", False),
        ("unix:///run/tenure.sock", "unix:///run/tenure.sock", False),
        ("dns:///tenure.example:50051", "dns:///tenure.example:50051", False),
        ("http://tenure.example:50051", "tenure.example:50051", False),
        ("https://tenure.example", "tenure.example:443", True),
        ("https://[::1]:8443/", "[::1]:8443", True),
    ],
)
def test_a_target_is_read(target: str, address: str, secure: bool) -> None:
    where = endpoint(target)

    assert (where.address, where.credentials is not None) == (address, secure)


def test_root_certificates_make_a_plain_target_tls() -> None:
    assert endpoint("tenure.example:50051", root_certificates=b"pem").credentials is not None


@pytest.mark.parametrize("target", ["", "https://", "https://tenure.example/path"])
def test_a_target_that_names_no_server_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        endpoint(target)


def test_the_token_does_not_show() -> None:
    assert "secret" not in repr(endpoint("localhost:1", token="secret"))


def test_the_service_config_is_the_packaged_one_and_retries_only_unavailable() -> None:
    options = dict(endpoint("localhost:1").options())

    config = json.loads(str(options["grpc.service_config"]))
    codes = [rule["retryPolicy"]["retryableStatusCodes"] for rule in config["methodConfig"][:2]]
    assert codes == [["UNAVAILABLE"], ["UNAVAILABLE"]]
    assert options["grpc.keepalive_time_ms"] == 30_000


async def test_the_token_goes_with_every_call(fake: FakeServer) -> None:
    fake.answers("GetServerInfo", replies(admin_service_pb2.GetServerInfoResponse(version="1")))

    async with AsyncClient(fake.target, token="secret") as client:
        info = await client.server_info()

    assert info.version == "1"
    assert fake.metadata[0]["authorization"] == "Bearer secret"


def test_a_list_is_cut_by_count_and_by_size() -> None:
    small = [job_pb2.Document(content=b"x")] * 1001
    large = [job_pb2.Document(content=b"x" * 1_000_000)] * 4

    assert [len(batch) for batch in batches(small)] == [500, 500, 1]
    assert [len(batch) for batch in batches(large)] == [3, 1]
    assert list(batches([])) == []


@pytest.mark.parametrize("wait", [0.5, 10, 50, 3600])
def test_a_waiting_call_has_a_deadline_that_leaves_room_for_the_wait(wait: float) -> None:
    timeout = call_timeout(wait, 1)

    assert timeout * 0.8 >= min(wait, 50)
    assert timeout < 65  # the service config ends the call then


def test_a_call_that_does_not_wait_has_the_usual_deadline() -> None:
    assert call_timeout(0, 30) == 30
