"""The work itself: the checksum of a file and how small gzip makes it."""

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

GZIP_LEVEL = 6

_CHUNK = 1024 * 1024
_GZIP_FORMAT = 31  # the largest window, with gzip's header, which has no time then
_PROGRESS_FROM = 1024 * 1024

Report = Callable[[str, int, int], None]


def file_facts(path: str, size: int, report: Report | None = None) -> dict[str, Any]:
    """Read a file once and return what is to be known of it; `report` hears of a large one as it goes."""
    digest, compressor = hashlib.sha256(), zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP_FORMAT)
    done = compressed = 0
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            compressed += len(compressor.compress(chunk))
            done += len(chunk)
            if report is not None and size > _PROGRESS_FROM:
                report("compressing", done, max(size, done))
    compressed += len(compressor.flush())
    return {"path": path, "bytes": done, "sha256": digest.hexdigest(), "gzip_bytes": compressed}
