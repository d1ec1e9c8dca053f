"""Short texts for pictures: the word for a step, what follows it, and what is kept, in a few words."""

from __future__ import annotations

import re
from itertools import starmap

from slackwater.algebra.expressions import Aggregation, Column, Expression
from slackwater.algebra.expressions.text import labelled, text_of
from slackwater.base.time import INFINITY, Clock
from slackwater.physical import steps
from slackwater.physical.explain.words import CHANGED, described, state_in_words
from slackwater.physical.steps import Step

SOURCE, ROWS, WINDOW, JOIN, GROUP, STREAM = "source", "rows", "window", "join", "group", "stream"
FAMILIES = {
    SOURCE: "source",
    ROWS: "row by row",
    WINDOW: "window or time points",
    JOIN: "join",
    GROUP: "groups and copies",
    STREAM: "to a stream",
}
"""The families of steps, by their style, as the legend names them."""
_FAMILY: dict[type[Step], str] = {
    steps.Read: SOURCE, steps.Apply: SOURCE, steps.Once: SOURCE, steps.Since: SOURCE,
    steps.AliveSince: SOURCE,
    steps.RangeWindow: WINDOW, steps.SlidingWindow: WINDOW, steps.FixedWindow: WINDOW,
    steps.RowWindow: WINDOW, steps.NestedRowWindows: WINDOW,
    steps.SessionWindow: WINDOW, steps.Assign: WINDOW, steps.Sessions: WINDOW,
    steps.Join: JOIN, steps.BestMatch: JOIN, steps.Best: GROUP, steps.Count: GROUP, steps.AtMostOne: GROUP,
    steps.Aggregate: GROUP, steps.Over: GROUP,
    steps.Changed: STREAM, steps.Repeat: STREAM, steps.Ticks: SOURCE, steps.When: WINDOW,
    steps.Synchronize: WINDOW, steps.Recursion: GROUP, steps.Recognize: STREAM,
}  # fmt: skip


_NUMBERED = re.compile(r"\d+: ")


def family(step: Step) -> str:
    """The family of a step; those without one work row by row."""
    return _FAMILY.get(type(step), ROWS)


def label(step: Step, clock: Clock) -> tuple[str, str]:
    """The first word of a step, and the rest."""
    match step:
        case steps.Read():
            return "read", step.name
        case steps.AtMostOne():
            return "at most one", f"by {', '.join(step.key)}" if step.key else "row"
        case steps.Count(copies=copies):
            return copies.replace("_", " "), ""
        case steps.Changed():
            return CHANGED[step.sign], "rows"
        case steps.Once():
            return "once", "the empty row"
        case steps.Map():
            return "map", ", ".join(_column(name, expr) for name, expr in step.columns) or "no columns"
        case steps.Aggregate():
            by = f" by {', '.join(step.keys)}" if step.keys else ""
            return "aggregate", f"{', '.join(starmap(_aggregation, step.calls)) or 'nothing'}{by}"
        case steps.Repeat():
            return "repeat", "at every instant"
    word, _, rest = described(step, clock).partition(" ")
    return word, rest


def _column(name: str, expr: Expression) -> str:
    """A column of a map; one that only gets another name goes by one of them."""
    if isinstance(expr, Column):
        return expr.name if _NUMBERED.match(name) else name
    return labelled(_call(name), text_of(expr))


def _aggregation(name: str, call: Aggregation) -> str:
    """An aggregate by its name, if that is its text."""
    return name if name.endswith(")") else _NUMBERED.sub("", text_of(call))


def _call(name: str) -> str:
    """The name of a column without the number that the arguments of aggregates have."""
    return _NUMBERED.sub("", name)


def state_label(step: Step) -> str:
    """What a step keeps, in a few words; nothing where it keeps nothing."""
    match step:
        case steps.RangeWindow(slide=slide) if slide != 1:
            return "elements until the slide"
        case steps.Apply():
            return "the current rows"
        case steps.AliveSince():
            return "the elements before it"
        case steps.RowWindow():
            by = " of each partition" if step.partition else ""
            return f"{'all' if step.count >= INFINITY else f'the last {step.count}'} rows{by}"
        case steps.Join() | steps.BestMatch():
            return "both sides, until they end"
        case steps.Best():
            return "elements, until they end"
        case steps.Count():
            return "the copies of each row"
        case steps.Aggregate():
            return "accumulators of each group" if step.keys else "the accumulators"
        case steps.Over() | steps.Changed() | steps.Repeat():
            return "the current rows"
        case steps.Recognize():
            return "rows not decided yet"
        case steps.Recursion():
            return "inputs and current rows"
        case steps.When():
            return "elements before they are true"
        case steps.Synchronize():
            return "changes until the next point"
    return state_in_words(step)


def cut(text: str, length: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
