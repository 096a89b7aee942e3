"""Where a list or a watch goes on: opaque tokens that fit only the list they come from."""

import binascii
import hashlib
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final
from uuid import UUID

from google.protobuf.message import Message

from tenure_server.domain.errors import InvalidField
from tenure_server.store.events import WatchPosition

SUM_BYTES: Final = 8
_EVENT: Final = struct.Struct(">qi")
_WATCH: Final = struct.Struct(">q16sqi")

PAGING: Final = ("page_size", "page_token", "cursor", "view")
"""Fields that choose a part of a list, not which list."""


class Tokens:
    """The tokens of one list: of a scope, and of the filters in the request for it.

    A token is a position behind a checksum over all of these. It grants nothing: every statement names
    the caller's scope anyway.
    """

    def __init__(self, scope: str, request: Message, field: str = "page_token") -> None:
        asked = type(request)()
        asked.CopyFrom(request)
        for name in PAGING:
            if name in asked.DESCRIPTOR.fields_by_name:
                asked.ClearField(name)
        self._field = field
        self._list = b"\0".join(
            (
                asked.DESCRIPTOR.full_name.encode(),
                scope.encode(),
                asked.SerializeToString(deterministic=True),
            )
        )

    def after_job(self, job_id: UUID) -> str:
        """The list goes on after this job."""
        return self._write(job_id.bytes)

    def job(self, token: str) -> UUID | None:
        """What `after_job` was given; None where the list begins."""
        return UUID(bytes=self._read(token, 16)) if token else None

    def after_queue(self, name: str) -> str:
        """The list goes on after this queue."""
        return self._write(name.encode())

    def queue(self, token: str) -> str:
        """What `after_queue` was given; empty where the list begins."""
        return self._read(token).decode() if token else ""

    def after_event(self, version: int, step: int) -> str:
        """The history goes on after this line."""
        return self._write(_EVENT.pack(version, step))

    def event(self, token: str) -> tuple[int, int]:
        """What `after_event` was given; a place before every line where the list begins."""
        if not token:
            return -1, 0
        version, step = _EVENT.unpack(self._read(token, _EVENT.size))
        return version, step

    def after_position(self, position: WatchPosition) -> str:
        """The watch goes on after this place."""
        return self._write(
            _WATCH.pack(position.position, position.job_id.bytes, position.version, position.step)
        )

    def position(self, token: str) -> WatchPosition | None:
        """What `after_position` was given; None where the watch begins."""
        if not token:
            return None
        position, job_id, version, step = _WATCH.unpack(self._read(token, _WATCH.size))
        return WatchPosition(position, UUID(bytes=job_id), version, step)

    def _write(self, place: bytes) -> str:
        return urlsafe_b64encode(self._sum(place) + place).rstrip(b"=").decode()

    def _read(self, token: str, size: int | None = None) -> bytes:
        try:
            raw = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except (binascii.Error, UnicodeEncodeError):
            raw = b""
        found, place = raw[:SUM_BYTES], raw[SUM_BYTES:]
        if found != self._sum(place) or size not in (None, len(place)):
            raise InvalidField(
                self._field, "is not from this list; take it from the reply before, filters equal"
            )
        return place

    def _sum(self, place: bytes) -> bytes:
        return hashlib.sha256(self._list + b"\0" + place).digest()[:SUM_BYTES]


def page_length(asked: int, default: int, longest: int) -> int:
    """How many items a page has: the default for 0, and never more than the longest."""
    return min(asked or default, longest)
