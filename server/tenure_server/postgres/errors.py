"""The one error of the embedded PostgreSQL."""


class PostgresError(Exception):
    """The embedded PostgreSQL cannot be used; the text is one sentence that also says what to do."""
