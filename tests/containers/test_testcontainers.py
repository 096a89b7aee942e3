"""What users' own tests do: PostgreSQL and Tenure by testcontainers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from testcontainers.community.postgres import PostgresContainer
from testcontainers.core.network import Network

from tenure.testing.containers import TenureContainer
from tenure.testing.server import serve
from tests.containers.conftest import ROOT
from tests.containers.engine import run
from tests.containers.life import finish_a_job

AT_ONCE = 4
ORDINARY_TESTS = "tests/rpc/test_transitions.py"


@pytest.fixture(scope="module")
def postgres(engine: None, postgres_image: str) -> Iterator[PostgresContainer]:
    """A database server that several tests share."""
    with PostgresContainer(postgres_image, driver=None) as container:
        yield container


def test_a_server_migrates_a_database_in_a_container_and_serves_it(postgres: PostgresContainer) -> None:
    dsn = postgres.get_connection_url()
    before = migrate("--status", "--dsn", dsn)
    after = migrate("--dsn", dsn)

    with serve(dsn) as server:
        finish_a_job(server.target)
    assert before.startswith("schema version 0 ")
    assert after == migrate("--status", "--dsn", dsn) != before


def migrate(*arguments: str) -> str:
    """What `tenure migrate` prints."""
    return run(sys.executable, "-m", "tenure_server", "migrate", *arguments).stdout


def test_containers_started_in_parallel_answer_as_soon_as_they_are_there(
    engine: None, postgres_image: str
) -> None:
    """Report 146: a port asked for too early counted as a failed start."""

    def ask_at_once(_: int) -> object:
        with (
            PostgresContainer(postgres_image, driver=None) as container,
            psycopg.connect(container.get_connection_url()) as connection,
        ):
            return connection.execute("SELECT 1").fetchone()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert list(pool.map(ask_at_once, range(AT_ONCE))) == [(1,)] * AT_ONCE


def test_our_container_serves_with_a_database_of_its_own(image: str) -> None:
    with TenureContainer(image) as server:
        finish_a_job(server.target)


def test_our_container_serves_the_database_of_another_one(image: str, postgres_image: str) -> None:
    with Network() as network:
        database = PostgresContainer(postgres_image, driver=None, password="secret")
        server = TenureContainer(image, dsn="postgresql://test:secret@database/test")
        with (
            database.with_network(network).with_network_aliases("database"),
            server.with_network(network),
        ):
            finish_a_job(server.target)
            with psycopg.connect(database.get_connection_url()) as connection:
                assert connection.execute("SELECT count(*) FROM job").fetchone() == (1,)


def test_our_container_says_why_it_does_not_serve(image: str) -> None:
    with pytest.raises(RuntimeError, match="TENURE_POOL_SIZE must be a whole number"):
        TenureContainer(image).with_env("TENURE_POOL_SIZE", "0").__enter__()


def test_the_ordinary_tests_run_on_a_database_in_a_container(engine: None, postgres_image: str) -> None:
    chosen = {"TENURE_TEST_POSTGRES": "container", "TENURE_TEST_POSTGRES_IMAGE": postgres_image}
    chosen["TENURE_TEST_DSN"] = ""  # which would go before the container
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, ORDINARY_TESTS], cwd=ROOT, env={**os.environ, **chosen},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
    assert " passed in " in done.stdout
