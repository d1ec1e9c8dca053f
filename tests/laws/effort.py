"""How hard to try: SLACKWATER_FUZZ multiplies the number of examples of every generated test."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("SLACKWATER_FUZZ", "1"))


def trying(examples: int) -> settings:
    """Settings for so many examples in the gate, and more in a campaign."""
    return settings(
        max_examples=examples * TIMES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
