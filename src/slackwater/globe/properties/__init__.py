"""What streams contain, and whether one can be computed from another."""

from slackwater.globe.properties.contain import (
    WHOLE,
    checked_parts,
    contains,
    cover,
    is_same,
    remaining,
    united,
)
from slackwater.globe.properties.fingerprint import crossing_name, fingerprint

__all__ = [
    "WHOLE", "checked_parts", "contains", "cover", "crossing_name", "fingerprint", "is_same", "remaining",
    "united",
]  # fmt: skip
