"""The client's values as JSON has them: fields keep their names, 64-bit numbers stay numbers."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

import tenure
from tenure.errors import TenureError


def json_form(value: object) -> Any:
    """Return what `json.dumps` takes.

    Times are RFC 3339 in UTC to the microsecond, lengths of time are seconds. Documents have a size, and
    text or base64, of which the other one is null.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    if isinstance(value, TenureError):
        return {
            "reason": value.reason or value.code,
            "message": value.message,
            "metadata": dict(value.metadata),
        }
    if isinstance(value, Mapping):
        return {str(key): json_form(item) for key, item in value.items()}
    return _composed(value)


def _composed(value: object) -> Any:
    if isinstance(value, tenure.Document):
        return _document_form(value.content, value.content_type)
    if is_dataclass(value):
        return {field.name: json_form(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return json_form(value._asdict())
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        return [json_form(item) for item in (value if isinstance(value, Sequence) else sorted(value))]
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _document_form(content: bytes, content_type: str) -> dict[str, object]:
    try:
        text, encoded = content.decode(), None
    except UnicodeDecodeError:
        text, encoded = None, base64.b64encode(content).decode()
    return {"content_type": content_type, "size": len(content), "text": text, "base64": encoded}
