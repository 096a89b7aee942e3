"""Which errors end a worker, and which it sits out."""

from __future__ import annotations

from tenure.errors import Denied, InvalidField, TenureError


def is_fatal(error: TenureError) -> bool:
    """Say whether asking again can never help: wrong credentials, settings or server."""
    return isinstance(error, Denied | InvalidField) or error.code == "UNIMPLEMENTED"
