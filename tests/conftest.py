"""Fixtures for every test."""

pytest_plugins = [
    "tests.fixtures.postgres",
    "tests.fixtures.service",
    "tests.fixtures.server",
    "tests.fixtures.processes",
]
