"""The gate tries the same examples every time; campaigns and developers try new ones."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

SLOW = ("laws", "fuzz", "acceptance", "spark", "session")
"""Folders whose tests take seconds rather than milliseconds."""

settings.register_profile("gate", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("gate" if os.environ.get("CI") and not os.environ.get("SLACKWATER_FUZZ") else "search")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow by where it stands."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
