"""Tenure in a container, for tests that use testcontainers."""

from __future__ import annotations

import time

from testcontainers.core.container import DockerContainer

from tenure.health import is_serving

_PORT = 50051
_START_SECONDS = 120.0
_LOOK_AGAIN_SECONDS = 0.1
_SHOWN_LINES = 30


class TenureContainer(DockerContainer):
    """A server with a PostgreSQL of its own, or that of `dsn`; `target` is what clients take.

    It speaks plain text on a free port of the engine's machine. Settings go in as variables:
    `.with_env("TENURE_RETENTION", "1h")`.
    """

    def __init__(self, image: str = "tenure:latest", *, dsn: str | None = None) -> None:
        super().__init__(image)
        self.with_exposed_ports(_PORT)
        self.with_env("TENURE_INSECURE", "on")
        if dsn is not None:
            self.with_env("TENURE_DSN", dsn)

    @property
    def target(self) -> str:
        return f"{self.get_container_host_ip()}:{self.get_exposed_port(_PORT)}"

    def start(self) -> TenureContainer:
        """Start the container and wait until the server serves; RuntimeError with its log if it does not."""
        super().start()
        end = time.monotonic() + _START_SECONDS
        while not (self._is_running() and is_serving(self.target)):
            if not self._is_running():
                raise RuntimeError(f"the Tenure container ended at once:\n{self._tail()}")
            if time.monotonic() > end:
                raise RuntimeError(f"the Tenure container does not serve:\n{self._tail()}")
            time.sleep(_LOOK_AGAIN_SECONDS)
        return self

    def _is_running(self) -> bool:
        container = self.get_wrapped_container()
        container.reload()
        return str(container.status) == "running"

    def _tail(self) -> str:
        lines = b"\n".join(self.get_logs()).decode(errors="replace").splitlines()
        return "\n".join(lines[-_SHOWN_LINES:]) or "it said nothing"
