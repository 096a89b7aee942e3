"""Tenure in a container, for tests that use testcontainers."""

from __future__ import annotations

import time

from testcontainers.core.container import DockerContainer

from tenure.health import is_serving

_START_SECONDS = 120.0
_LOOK_AGAIN_SECONDS = 0.1


class TenureContainer(DockerContainer):
    """A server with a PostgreSQL of its own, or that of `dsn`; `target` is what clients take."""

    def __init__(self, image: str = "tenure:latest", *, dsn: str | None = None, port: int = 50051) -> None:
        super().__init__(image)
        self._port = port
        self.with_exposed_ports(port)
        if dsn is not None:
            self.with_env("TENURE_DSN", dsn)

    @property
    def target(self) -> str:
        return f"{self.get_container_host_ip()}:{self.get_exposed_port(self._port)}"

    def start(self) -> TenureContainer:
        """Start the container and wait until the server serves; TimeoutError when it does not."""
        super().start()
        end = time.monotonic() + _START_SECONDS
        while not is_serving(self.target):
            if time.monotonic() > end:
                self.stop()
                raise TimeoutError(f"the Tenure container was not ready after {_START_SECONDS:g} s")
            time.sleep(_LOOK_AGAIN_SECONDS)
        return self
