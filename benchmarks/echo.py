"""A gRPC server that only sends back what it got: the most that calls of this size can reach here."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen
from typing import Any

import grpc.aio

from benchmarks.cycle import PAYLOAD, Leased, Plan, Sample, measure

METHOD = "/benchmark.Echo/Echo"
MESSAGE = PAYLOAD + bytes(64)


def measure_echo(target: str, plan: Plan) -> Sample:
    """Carry out a plan in which each of the three calls is an echo."""
    return asyncio.run(_measure(target, plan))


async def _measure(target: str, plan: Plan) -> Sample:
    async with grpc.aio.insecure_channel(target) as channel:
        return await measure([EchoCaller(channel) for _ in range(plan.callers)], plan)


class EchoCaller:
    """Calls that do nothing."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._echo: Any = channel.unary_unary(METHOD)

    async def create(self, count: int) -> None:
        await self._echo(MESSAGE)

    async def acquire(self, count: int) -> Sequence[Leased]:
        await self._echo(MESSAGE)
        return [Leased("", b"")]

    async def finish(self, leased: Sequence[Leased]) -> None:
        await self._echo(MESSAGE)


@contextmanager
def echo_server(target: str) -> Iterator[None]:
    """An echo server in a process of its own."""
    with Popen([sys.executable, "-m", "benchmarks.echo", target], stdout=PIPE) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the echo server did not start")
            yield
        finally:
            process.terminate()


async def _echo(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    return request


async def _serve(target: str) -> None:
    server = grpc.aio.server()
    handlers: dict[str, Any] = {"Echo": grpc.unary_unary_rpc_method_handler(_echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("benchmark.Echo", handlers),))
    server.add_insecure_port(target)
    await server.start()
    print("ready", flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    import uvloop

    uvloop.run(_serve(sys.argv[1]))
