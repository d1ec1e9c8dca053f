"""The number of examples, and the seed.

SLACKWATER_FUZZ makes a run a campaign: it multiplies the number of examples of every generated test, and the
examples are new ones each time. SLACKWATER_SEED is the seed of tests with their own random generator.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

IS_CAMPAIGN = "SLACKWATER_FUZZ" in os.environ
TIMES = int(os.environ.get("SLACKWATER_FUZZ", "1"))
SEED = int(os.environ.get("SLACKWATER_SEED", "0"))


def trying(examples: int) -> settings:
    """Settings for this many examples in the gate, and more in a campaign."""
    return settings(
        max_examples=examples * TIMES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
