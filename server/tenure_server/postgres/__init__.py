"""The embedded PostgreSQL: finding its programs, making a cluster, starting and stopping the server."""

from tenure_server.postgres.binaries import Binaries, find_binaries
from tenure_server.postgres.data_directory import default_data_dir
from tenure_server.postgres.embedded import EmbeddedOptions, EmbeddedPostgres
from tenure_server.postgres.errors import PostgresError

__all__ = [
    "Binaries",
    "EmbeddedOptions",
    "EmbeddedPostgres",
    "PostgresError",
    "default_data_dir",
    "find_binaries",
]
