# Generated from client/python/tenure/async_client/__init__.py by make generate; do not edit.
"""The blocking client; it has the calls of tenure.async_client and may be shared by threads."""

from tenure.client.client import Client

__all__ = ["Client"]
