"""Bytes with a content type: payloads, results and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenure.v1 import job_pb2


@dataclass(frozen=True, slots=True)
class Document:
    """At most 1 MiB that Tenure keeps and never looks into."""

    content: bytes = field(repr=False)  # may be confidential; a job that is logged must not show it
    content_type: str = ""

    def json(self) -> Any:
        """Return the value that the content spells in JSON; ValueError when it does not."""
        return json.loads(self.content)

    def text(self) -> str:
        """Return the content as UTF-8 text; ValueError when it is not."""
        return self.content.decode()


Content = (
    Document | bytes | bytearray | memoryview | str | Mapping[str, Any] | Sequence[Any] | int | float | None
)


def document(value: Content, content_type: str | None = None) -> Document | None:
    """Return `value` as a document: bytes as they are, text as UTF-8, anything else as JSON.

    JSON is written with sorted keys, so that equal values make equal bytes and a creation can be
    repeated. None, and empty bytes without a content type, are no document. TypeError or ValueError
    when JSON cannot spell the value.
    """
    if value is None or (isinstance(value, bytes) and not value and content_type is None):
        return None
    if isinstance(value, Document):
        return value if content_type is None else Document(value.content, content_type)
    content, usual_type = _content(value)
    return Document(content, usual_type if content_type is None else content_type)


def _content(value: Content) -> tuple[bytes, str]:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value), "application/octet-stream"
    if isinstance(value, str):
        return value.encode(), "text/plain; charset=utf-8"
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode(), "application/json"


def document_to_proto(value: Document | None) -> job_pb2.Document | None:
    return None if value is None else job_pb2.Document(content=value.content, content_type=value.content_type)


def document_from_proto(message: job_pb2.Document) -> Document:
    return Document(message.content, message.content_type)
