"""Starting and stopping: nothing is left behind, and nothing hangs."""

import asyncio

from tenure import AsyncClient, EmptyReason
from tests.factories import QUEUE, acquire_one, new_job
from tests.fixtures.server import Server, running_server
from tests.fixtures.service import HandDrivenClock


async def test_a_server_can_be_stopped_at_any_moment(
    dsn: str, socket_dir: object, clock: HandDrivenClock
) -> None:
    for pause in range(20):
        async with asyncio.timeout(10), running_server(dsn, f"unix:{socket_dir}/s.sock", clock, sweeps=True):
            await asyncio.sleep(pause / 1000)


async def test_waiting_calls_end_empty_and_holders_are_still_answered(
    server: Server, client: AsyncClient
) -> None:
    await new_job(client)
    grant = await acquire_one(client)
    waiting = asyncio.create_task(client.acquire("me", queues=[QUEUE], wait=30))
    await asyncio.sleep(0.1)

    draining = asyncio.create_task(server.application.drain(10))
    answer = await asyncio.wait_for(waiting, 5)
    moved = await client.transition(grant, "succeeded")
    await asyncio.wait_for(draining, 10)

    assert answer.empty_reason is EmptyReason.SERVER_DRAINING
    assert moved.job.state == "succeeded"
