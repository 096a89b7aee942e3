"""What is bounded at this edge: the numbers GetServerInfo tells; the rules in the proto say the same."""

from datetime import timedelta
from typing import Final

MAX_DOCUMENT_BYTES: Final = 1024 * 1024
MAX_BATCH_ITEMS: Final = 500
MAX_LABELS: Final = 64

MIN_LEASE: Final = timedelta(milliseconds=100)
MAX_LEASE: Final = timedelta(hours=24)

MAX_WAIT: Final = timedelta(seconds=50)
"""The longest wait of one call."""
WAIT_SHARE: Final = 0.8
"""How much of the time until the deadline a wait may take; the rest brings the answer home."""

MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
"""The largest message received or sent."""
REPLY_BYTES: Final = 3_670_016
"""Where a list or a set of grants is cut. One job with all its documents always fits."""

MAX_METADATA_BYTES: Final = 16 * 1024

DEFAULT_DEADLINE: Final = 30.0
"""Seconds for a call whose client set no deadline."""
WAITING_DEADLINE: Final = 65.0
"""The same for a call that may wait."""
LEAST_TIME: Final = 0.010
"""Seconds that must be left for a call to begin."""
