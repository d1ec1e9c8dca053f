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

__all__ = ["WHOLE", "checked_parts", "contains", "cover", "is_same", "remaining", "united"]
