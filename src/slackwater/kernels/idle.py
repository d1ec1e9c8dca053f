"""Steps with nothing to do in an epoch: no element arrives, and none in their state falls due.

Most steps of a session are idle in most small epochs; a kernel takes as long for no rows as for a few.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slackwater.kernels.state import State
from slackwater.kernels.sweep import SUMS
from slackwater.physical import steps

_DRIVEN = (
    steps.Aggregate, steps.AliveSince, steps.Apply, steps.AtMostOne, steps.Best, steps.BestMatch,
    steps.Changed, steps.Count, steps.Join, steps.NestedRowWindows, steps.Over, steps.RangeWindow,
    steps.RowWindow, steps.Sessions, steps.SessionWindow, steps.When,
)  # fmt: skip
"""Steps whose state matters only to elements that arrive, and where rows of a queue fall due."""


def is_idle(step: steps.Step, state: State, inputs: Sequence[pl.DataFrame], hi: int) -> bool:
    """Whether the step has no output before `hi` and its state stays as it is, ends apart."""
    if not inputs or any(frame.height for frame in inputs) or state.is_due(hi):
        return False
    match step:
        case steps.Aggregate(keys=()):
            return state.has(SUMS)  # Its one group is there from the first epoch on.
        case steps.Synchronize():
            return len(inputs) == 1 or not state.rows  # By events, changes wait for a point.
        case steps.Recursion() if step.derivation:
            return True  # Lifetimes have their ends, and what starts later is due then.
        case _:
            # Others may have output at any time, as long as they have a state: Rstream, recursion anew.
            return isinstance(step, _DRIVEN) or not state.rows
