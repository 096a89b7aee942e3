"""Queues: their settings and what lies in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tenure.model.times import time_of
from tenure.v1 import queue_pb2


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue; `max_active` None is without limit, counts stop at 100,000."""

    name: str
    paused: bool
    max_active: int | None
    ready: int
    leased: int
    update_time: datetime | None


def queue_from_proto(message: queue_pb2.Queue) -> Queue:
    return Queue(
        name=message.name,
        paused=message.paused,
        max_active=message.max_active if message.HasField("max_active") else None,
        ready=message.ready,
        leased=message.leased,
        update_time=time_of(message.update_time) if message.HasField("update_time") else None,
    )
