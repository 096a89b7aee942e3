"""A connection that sends pipelined statements without waiting for the socket each time."""

import select
from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

RV = TypeVar("RV")

Connection = AsyncConnection[Any]


class PipelinedConnection(AsyncConnection[Any]):
    """An AsyncConnection whose statements, while `queueing`, only go into the driver's buffer.

    The driver would wait for the socket after each statement of a pipeline, which costs a turn of the
    event loop every time. Sending never has to wait: what the socket does not take stays in the buffer
    until the pipeline is synchronised, which waits as usual.
    """

    queueing = False

    @property
    def looks_alive(self) -> bool:
        """False when the server has hung up: an idle connection has nothing to be read."""
        if self.closed or self.broken:
            return False
        readable, _, _ = select.select([self.pgconn.socket], [], [], 0)
        return not readable

    async def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        if not self.queueing:
            return await super().wait(gen, interval, timeout)
        try:
            wanted = next(gen)
            while wanted & Wait.W:
                wanted = gen.send(Ready.W)
        except StopIteration as done:
            value: RV = done.value
            return value
        raise RuntimeError("a queued statement asked for an answer before the pipeline was synchronised")
