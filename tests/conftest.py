"""The gate draws the same examples every time; a campaign (`make fuzz`) draws new ones."""

import gc
import os
import signal
from pathlib import Path

# With a process for each core, threads of Polars wait for each other: one takes a fifth less CPU.
# Polars reads this when it is first imported.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from laws.effort import IS_CAMPAIGN

SLOW = ("laws", "fuzz", "acceptance", "spark", "session")
"""Folders whose tests take seconds rather than milliseconds."""

# A busy machine is slow at any example, so neither a deadline nor the check of speed says anything.
STEADY = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("gate", derandomize=True, database=None, **STEADY)
settings.register_profile("campaign", **STEADY)
settings.load_profile("campaign" if IS_CAMPAIGN else "gate")
if not IS_CAMPAIGN:
    # One draw in twenty is a constant of the modules that happen to be loaded, which depends on the tests
    # that ran before in the same process. Without those, a test draws the same alone and among others.
    providers._get_local_constants = lambda: providers._local_constants


# A shell lets commands in the background ignore Ctrl-C, and what they start does too: tests that interrupt a
# process would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests kill processes, never the machine: what is written is in the system's memory, and to wait for a disk
# shows nothing.
os.fsync = lambda descriptor: None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow by where it stands. Where several processes share the tests, sort them.

    Each process begins with an equal part, in this order, and then takes from the end of another's. What
    needs Spark comes first, so that one process, with one Java, runs most of it, and what is slow before
    what is fast, so that all end at the same time.
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_rank)


def _rank(item: pytest.Item) -> tuple[bool, bool]:
    needs_spark = "spark" in getattr(item, "fixturenames", ())
    return not needs_spark, item.get_closest_marker("slow") is None


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end, and a law makes many objects that soon go: collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure() -> None:
    """Before the end of the process all can be collected: extension modules report what is left."""
    gc.unfreeze()
