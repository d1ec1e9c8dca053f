"""A subscription in parts that can be computed at different peers."""

from slackwater.globe.split.outline import Outline
from slackwater.globe.split.parts import (
    Input,
    Parts,
    filter_text,
    in_order,
    parts_of,
    raw,
    rest_text,
    sources_of,
)

__all__ = [
    "Input",
    "Outline",
    "Parts",
    "filter_text",
    "in_order",
    "parts_of",
    "raw",
    "rest_text",
    "sources_of",
]
