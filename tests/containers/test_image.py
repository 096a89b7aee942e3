"""The image with a PostgreSQL of its own: closed up, stopped, killed, misused."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tenure import Client, TenureError
from tests.containers.engine import HARDENED, docker, started, volume
from tests.containers.life import finish_a_job

SERVED = ("--env", "TENURE_INSECURE=on", "--publish", "127.0.0.1:0:50051", "--health-interval", "1s")
STOP_SECONDS = 10.0  # what the engine allows when nobody says otherwise
CALLERS = 4


def test_it_serves_with_a_read_only_root_and_without_capabilities(image: str) -> None:
    """Report 127: an entry script that changes owners does not start like this."""
    with started(image, *HARDENED, *SERVED) as server:
        server.wait_until_healthy()

        finish_a_job(server.target)
        assert server.execute("tenure", "health") == "SERVING"
        first = dict(re.findall(r"^(\w+):\t(.*)$", server.execute("cat", "/proc/1/status"), re.MULTILINE))
        assert first["Uid"].split() == ["10001"] * 4
        assert (int(first["CapEff"], 16), first["NoNewPrivs"]) == (0, "1")


def test_stopped_under_load_it_drains_in_time_and_forgets_nothing(image: str) -> None:
    """Report 125: a start command that kept the signal from the server left jobs locked."""
    with started(image, *SERVED) as server, ThreadPoolExecutor(CALLERS + 1) as pool:
        server.wait_until_serving()
        creating = [pool.submit(create_until_it_ends, server.target) for _ in range(CALLERS)]
        waiting = pool.submit(wait_for_a_job, server.target)
        seconds = server.stop()
        created = {job_id for ids in creating for job_id in ids.result()}

        assert (server.exit_code, seconds < STOP_SECONDS) == (0, True)
        assert re.search(r"draining for at most .*\n.* stopped ", server.log)
        assert waiting.result() == "SERVER_DRAINING"
        server.restart()
        server.wait_until_serving()
        with Client(server.target) as client:
            found = {job.id for job in client.list_jobs(queue="load")}
        assert created
        assert created <= found


def create_until_it_ends(target: str) -> list[str]:
    """The ids of all jobs whose creation was answered."""
    ids = []
    with Client(target, timeout=3) as client:
        try:
            while True:
                ids.append(client.create_job("load").job.id)
        except TenureError:
            return ids


def wait_for_a_job(target: str) -> str:
    """Why there was none."""
    with Client(target) as client:
        return str(client.acquire("tester", queues=["empty"], wait=40).empty_reason)


def test_told_to_stop_while_it_starts_it_ends_at_once(image: str) -> None:
    with started(image, *SERVED) as server:
        server.wait_until(lambda: "initdb" in docker("top", server.name) or "listening" in server.log)
        seconds = server.stop()

        assert (server.exit_code, seconds < STOP_SECONDS / 2) == (0, True)


def test_its_database_survives_being_killed_and_a_new_container(image: str) -> None:
    with volume() as data:
        kept = ("--volume", f"{data}:/var/lib/tenure", *HARDENED, *SERVED)
        with started(image, *kept) as server:
            server.wait_until_serving()
            jobs = [finish_a_job(server.target)]
            docker("kill", server.name)
            server.restart()
            server.wait_until_serving()
            jobs.append(finish_a_job(server.target))
            docker("kill", server.name)
        with started(image, *kept) as server:
            server.wait_until_serving()
            with Client(server.target) as client:
                states = [client.get_job(job_id).state for job_id in jobs]

    assert states == ["succeeded", "succeeded"]


@pytest.mark.parametrize("user", ["65532", "65532:65532"])
def test_a_user_whom_postgresql_does_not_start_for_is_told_so_in_one_sentence(image: str, user: str) -> None:
    with started(image, "--user", user, *HARDENED, *SERVED) as server:
        assert server.exit_code == 2
        assert re.fullmatch(r"error: user id 65532 has no entry .* give the DSN of .*\n", server.log)


def test_as_root_without_capabilities_it_says_in_one_sentence_what_is_wrong(image: str) -> None:
    with started(image, "--user", "0", *HARDENED, *SERVED) as server:
        assert server.exit_code == 2
        assert re.fullmatch(r"error: .*\n", server.log)


def test_it_does_not_serve_plain_text_to_the_network_unless_told_to(image: str) -> None:
    with started(image) as server:
        assert server.exit_code == 2
        assert re.fullmatch(r"error: 0\.0\.0\.0:50051 can be reached .* --insecure .*\n", server.log)
