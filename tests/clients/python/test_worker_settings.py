"""What a worker is told at the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from tenure import RunningJob, Worker
from tenure.worker.settings import default_holder
from tests.clients.python.fake_server import refusal
from tests.clients.python.workers import worker_settings

LOST = refusal(grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")


def test_only_short_jobs_are_leased_ahead() -> None:
    assert worker_settings(30).prefetched(None) == 0
    assert worker_settings(30).prefetched(0.01) == 8
    assert worker_settings(30).prefetched(2.0) == 4
    assert worker_settings(30).prefetched(60.0) == 0
    assert worker_settings(2).prefetched(0.4) == 4


async def test_a_worker_without_handlers_does_not_run(worker: Worker) -> None:
    with pytest.raises(ValueError, match="no handler"):
        await worker.run_async()


def test_one_kind_has_one_handler(worker: Worker) -> None:
    def work(_: RunningJob) -> None: ...

    worker.handler(kind="resize")(work)

    with pytest.raises(ValueError, match="two handlers for kind 'resize'"):
        worker.handler(kind="resize")(work)


@pytest.mark.parametrize(
    "change", [{"queues": []}, {"queues": "default"}, {"concurrency": 0}, {"prefetch": -1}, {"grace": -1}]
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Worker("localhost:1", **change)


def test_holders_differ_and_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "h" * 300)

    assert len(default_holder()) <= 128
    assert default_holder() != default_holder()


def test_a_decorated_function_stays_what_it_was(worker: Worker) -> None:
    def work(_: RunningJob) -> None: ...

    decorated: Callable[[RunningJob], None] = worker.handler(work)

    assert decorated is work
