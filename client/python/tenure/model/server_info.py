"""What a server is and allows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tenure.model.times import seconds_of, time_of
from tenure.v1 import admin_service_pb2


@dataclass(frozen=True, slots=True)
class Limits:
    """What is bounded, in bytes, items and seconds."""

    max_document_bytes: int
    max_batch_items: int
    max_labels: int
    max_wait: float
    min_lease_duration: float
    max_lease_duration: float
    max_message_bytes: int


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A server; `clock_offset` is how many seconds its own clock is ahead of the database's."""

    version: str
    schema_version: int
    features: frozenset[str]
    database_time: datetime
    clock_offset: float
    limits: Limits


def server_info_from_proto(message: admin_service_pb2.GetServerInfoResponse) -> ServerInfo:
    return ServerInfo(
        version=message.version,
        schema_version=message.schema_version,
        features=frozenset(message.features),
        database_time=time_of(message.database_time),
        clock_offset=seconds_of(message.clock_offset),
        limits=_limits_from_proto(message.limits),
    )


def _limits_from_proto(message: admin_service_pb2.Limits) -> Limits:
    return Limits(
        max_document_bytes=message.max_document_bytes,
        max_batch_items=message.max_batch_items,
        max_labels=message.max_labels,
        max_wait=seconds_of(message.max_wait),
        min_lease_duration=seconds_of(message.min_lease_duration),
        max_lease_duration=seconds_of(message.max_lease_duration),
        max_message_bytes=message.max_message_bytes,
    )
