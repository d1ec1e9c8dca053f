"""What is alive of a step's elements at the end of an epoch, from a state that has it.

    Apply, Aggregate, Over, Count    the current rows: their elements have no end until they are retracted
    RowWindow                  the rows that are shown; of NestedRowWindows, those of each window
    Join                       the pairs of what is alive of its sides
    a side of a Join           the elements of that input
    Changed                    the future ends of its input, if all its elements have one

`physical.known_steps` says which state has the elements of which step.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import Bug
from slackwater.kernels import aggregates, bags, joins, relations
from slackwater.kernels.compiled import calls_of, over_of, predicate, row_window_of, row_windows_of
from slackwater.kernels.frames import FROM, TO, N, empty
from slackwater.kernels.over import over
from slackwater.kernels.sweep import AHEAD, T
from slackwater.kernels.windows import rows
from slackwater.physical import steps
from slackwater.physical.graph import Node
from slackwater.physical.stages.plan import SIDES

Frames = Mapping[str, pl.DataFrame]
"""The frames of a state, by name; those that nothing was added to may be missing."""


def alive(node: Node, frames: Frames, now: int) -> pl.DataFrame:
    """The elements of a step that are alive at `now`, as elements that start then, from its own state."""
    return _started(_own(node, frames, now), now).select(empty(node.schema).columns)


def alive_input(node: Node, side: int, frames: Frames, now: int) -> pl.DataFrame | None:
    """The same of one of the step's inputs; None where nothing was added to the state."""
    match node.step:
        case steps.Join():
            held = frames.get(SIDES[side])
        case steps.Changed():
            ends = frames.get(AHEAD)
            held = None if ends is None else ends.rename({T: TO}).with_columns(-pl.col(N))
        case _:
            raise Bug(f"{type(node.step).__name__} has no elements of its input")
    return None if held is None else _started(held, now)


def _own(node: Node, frames: Frames, now: int) -> pl.DataFrame:
    match node.step:
        case steps.Apply():
            return relations.current_rows(frames, node.schema)
        case steps.Aggregate(keys=keys) as step:
            return aggregates.current_rows(frames, keys, calls_of(step), node.schema, now)
        case steps.Over() as step:
            names = [name for name in node.schema.names if name not in dict(step.calls)]
            return over.current_rows(frames, over_of(step), names, node.schema, now)
        case steps.Count(copies=copies):
            return bags.current_rows(frames, copies, node.schema)
        case steps.RowWindow() as step:
            return rows.current_rows(frames, row_window_of(step), node.schema)
        case steps.NestedRowWindows() as step:
            row = Schema(tuple(pair for pair in node.schema if pair[0] != step.column))
            parts = [rows.current_rows(frames, window, row) for window in row_windows_of(step)]
            return pl.concat(
                part.with_columns(pl.lit(number, pl.Int64).alias(step.column))
                for number, part in enumerate(parts)
            )
        case steps.Join(condition=condition) as step:
            test = None if condition is None else predicate(condition)
            on = joins.On(step.left, step.right, step.null_safe, test)
            return joins.current_pairs(frames, on, node.schema, now)
    raise Bug(f"{type(node.step).__name__} has none of its elements")


def _started(elements: pl.DataFrame, now: int) -> pl.DataFrame:
    return elements.filter(pl.col(TO) > now).with_columns(pl.lit(now, pl.Int64).alias(FROM))
