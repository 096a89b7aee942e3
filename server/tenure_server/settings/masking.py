"""Connection strings without their passwords; where in doubt more is hidden than need be."""

import re
from urllib.parse import unquote

MASK = "***"

_QUERY_PAIR = re.compile(r"([?&])([^=&]+)=([^&]*)")
_PAIR = re.compile(r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:\\.|[^\s'\\])(?:\\.|[^\s\\])*|)", re.DOTALL)


def masked_dsn(dsn: str) -> str:
    """Return the connection string with every password replaced."""
    if dsn.startswith(("postgresql://", "postgres://")):
        return _masked_url(dsn)
    return _masked_pairs(dsn)


def _masked_url(dsn: str) -> str:
    scheme, _, rest = dsn.partition("://")
    rest = _QUERY_PAIR.sub(_masked_parameter, rest)
    credentials, at, where = rest.rpartition("@")
    if not at:
        return f"{scheme}://{where}"
    user, colon, _ = credentials.partition(":")
    return f"{scheme}://{user}{colon}{MASK if colon else ''}@{where}"


def _masked_parameter(match: re.Match[str]) -> str:
    value = MASK if _is_secret(unquote(match[2])) else match[3]
    return f"{match[1]}{match[2]}={value}"


def _masked_pairs(dsn: str) -> str:
    shown = []
    position, end = 0, len(dsn.rstrip())
    while position < end:
        match = _PAIR.match(dsn, position)
        if match is None:
            return MASK
        shown.append(f"{match[1]}={MASK if _is_secret(match[1]) else match[2]}")
        position = match.end()
    return " ".join(shown)


def _is_secret(keyword: str) -> bool:
    return keyword.lower().endswith("password")
