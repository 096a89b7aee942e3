"""Fixtures for every test."""

import os

# A PostgreSQL that root starts under another account really forks, and gRPC's fork handlers do not
# survive that once it has been used; the server itself starts its PostgreSQL first.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.service",
    "tests.fixtures.server",
    "tests.fixtures.processes",
]
