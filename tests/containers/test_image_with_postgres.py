"""The image beside a PostgreSQL in a container: any user will do, and no secret comes out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from testcontainers.community.postgres import PostgresContainer
from testcontainers.core.network import Network

from tests.containers.engine import HARDENED, docker, started
from tests.containers.life import finish_a_job

CANARY = "canary-7f3a9c"
HOST = "database"
SERVED = ("--env", "TENURE_INSECURE=on", "--publish", "127.0.0.1:0:50051", "--health-interval", "1s")


@dataclass
class Postgres:
    """A PostgreSQL whose password is the canary, and the network it is in."""

    container: str
    network: str

    def given(self, directory: Path, password: str = CANARY) -> tuple[str, ...]:
        """The options that lead a server to it."""
        file = directory / "dsn"
        file.write_text(f"postgresql://tenure:{password}@{HOST}/tenure\n")
        file.chmod(0o444)
        secret = ("--env", "TENURE_DSN_FILE=/run/secrets/dsn", "--volume", f"{file}:/run/secrets/dsn:ro")
        return ("--network", self.network, *secret)


@pytest.fixture(scope="module")
def postgres(engine: None, postgres_image: str) -> Iterator[Postgres]:
    """A database that several tests share."""
    with Network() as network:
        container = PostgresContainer(
            postgres_image, username="tenure", password=CANARY, dbname="tenure", driver=None
        )
        with container.with_network(network).with_network_aliases(HOST):
            yield Postgres(container.get_container_id(), str(network.name))


@pytest.mark.parametrize("user", ["65532", "65532:65532", "0:0", "10001:10001"])
def test_with_a_database_it_serves_as_any_user(
    image: str, postgres: Postgres, user: str, tmp_path: Path
) -> None:
    """Report 127: read-only root, no capabilities, no tmpfs, and a user whom the image does not know."""
    with started(image, "--user", user, *HARDENED, *SERVED, *postgres.given(tmp_path)) as server:
        server.wait_until_healthy()
        finish_a_job(server.target)
        server.stop()

        assert server.exit_code == 0


def test_neither_the_engine_nor_the_log_shows_the_password(
    image: str, postgres: Postgres, tmp_path: Path
) -> None:
    with started(image, *HARDENED, *SERVED, *postgres.given(tmp_path)) as server:
        server.wait_until_healthy()
        finish_a_job(server.target)
        shown = server.execute("tenure", "check")
        docker("pause", postgres.container)
        server.wait_until(lambda: "the database does not answer" in server.log)
        docker("unpause", postgres.container)
        server.wait_until(lambda: "the database answers again" in server.log)
        server.stop()

        assert "tenure:***@" in shown
        assert CANARY not in docker("inspect", server.name) + server.log + shown


def test_a_wrong_password_is_one_line_without_the_password(
    image: str, postgres: Postgres, tmp_path: Path
) -> None:
    with started(image, *SERVED, *postgres.given(tmp_path, f"{CANARY}-no")) as server:
        assert server.exit_code == 1
        assert re.fullmatch(r"error: .*\n", server.log)
        assert CANARY not in server.log
