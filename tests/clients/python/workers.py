"""Workers in tests: set up, and run for as long as a test needs one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from tenure import Worker
from tenure.worker.settings import WorkerSettings
from tests.clients.python.fake_server import refusal

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


@asynccontextmanager
async def at_work(worker: Worker) -> AsyncIterator[asyncio.Task[None]]:
    """Run the worker for as long as the test needs it, then stop it."""
    task = asyncio.create_task(worker.run_async())
    try:
        yield task
    finally:
        worker.stop(now=True)
        await asyncio.wait_for(task, 20)


def worker_settings(lease_duration: float = 30) -> WorkerSettings:
    words = {"success": "succeeded", "failure": "failed", "cancelled": "cancelled", "paused": "paused"}
    return WorkerSettings(
        queues=["q"],
        concurrency=8,
        prefetch=8,
        lease_duration=lease_duration,
        holder="h",
        grace=1,
        wait=1,
        labels={},
        **words,
    )
