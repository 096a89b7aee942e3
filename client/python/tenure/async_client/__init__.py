"""The client for asyncio; the blocking one in tenure.client is generated from it."""

from tenure.async_client.client import AsyncClient

__all__ = ["AsyncClient"]
