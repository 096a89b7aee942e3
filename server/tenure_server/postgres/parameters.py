"""The server's settings, given on its command line so that an existing cluster gets them too."""

EVERYWHERE = {
    "listen_addresses": "",
    "port": "5432",  # only names the socket
    "unix_socket_permissions": "0700",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "wal_compression": "on",
    "wal_level": "minimal",  # no replica of an embedded server: less to write, and it needs the next three
    "max_wal_senders": "0",
    "max_replication_slots": "0",
    "max_logical_replication_workers": "0",
    "autovacuum_naptime": "15s",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",  # parallel queries need more shared memory than containers give
    "huge_pages": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
SINCE = {18: {"io_method": "sync"}}
UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def server_parameters(
    major: int, *, shared_buffers_mb: int, max_connections: int, durable: bool
) -> dict[str, str]:
    """All settings for a server of this major; a name it does not know would stop its start."""
    parameters = EVERYWHERE | {
        "shared_buffers": f"{shared_buffers_mb}MB",
        "max_connections": str(max_connections),
    }
    for since, newer in SINCE.items():
        if major >= since:
            parameters |= newer
    return parameters if durable else parameters | UNSAFE


def as_arguments(parameters: dict[str, str]) -> list[str]:
    return [word for name, value in parameters.items() for word in ("-c", f"{name}={value}")]
