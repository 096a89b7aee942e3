"""Values for jsonb columns."""

from collections.abc import Mapping

from psycopg.types.json import Jsonb


def as_jsonb(labels: Mapping[str, str]) -> Jsonb:
    """A set of labels as a jsonb parameter."""
    return Jsonb(dict(labels))
