"""A step in words: what it does, and what it keeps from one epoch to the next."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.bestmatch import Dimension
from slackwater.algebra.expressions.over import Framed
from slackwater.algebra.expressions.text import labelled, text_of
from slackwater.algebra.points import Points
from slackwater.algebra.users.aggregates import retracts
from slackwater.algebra.users.functions import UserFunction
from slackwater.algebra.windowing import length_in_words, windows_in_words
from slackwater.base.time import INFINITY, Clock
from slackwater.optimize.facts.distances import is_as_of
from slackwater.optimize.growth import Growth
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.steps import Step
from slackwater.physical.strips import in_strips

CHANGED = {1: "inserted", -1: "deleted", 0: "inserted and deleted"}
"""The rows that a stream of changes has, by its sign."""


def described(step: Step, clock: Clock | None = None) -> str:
    """One step in a few words; without a clock, lengths of time are chronons."""
    match step:
        case steps.Read():
            return f"read {step.name} {step.schema}"
        case steps.Apply():
            return f"apply changes{_by(step.key)}"
        case steps.Since() | steps.AliveSince():
            return f"since {step.begin if clock is None else clock.format(step.begin)}"
        case steps.Once():
            return "the empty row, once"
        case steps.Filter():
            return f"filter {in_strips(step.predicate)}"
        case steps.Map():
            return f"map {', '.join(labelled(name, in_strips(expr)) for name, expr in step.columns)}"
        case steps.Unnest():
            if step.fields:
                return f"unnest {', '.join(step.fields)} = {text_of(step.arrays[0][1])}"
            return f"unnest {', '.join(labelled(name, text_of(values)) for name, values in step.arrays)}"
        case steps.RangeWindow():
            slide = f" slide {_lasting(step.slide, clock)}" if step.slide != 1 else ""
            lasting = _lasting(step.duration, clock)
            return "window now" if step.duration == 0 else f"window range {lasting}{slide}"
        case steps.SlidingWindow():
            return f"window sliding {_lasting(step.size, clock)}"
        case steps.FixedWindow():
            return f"window fixed {_lasting(step.size, clock)}"
        case steps.RowWindow():
            return f"newest {_length(step.count)}{_by(step.partition)}"
        case steps.NestedRowWindows():
            counts = " and ".join(_length(count) for count, _ in step.windows)
            return f"newest {counts}{_by(step.partition)}"
        case steps.SessionWindow():
            return f"window session {_lasting(step.gap, clock)}{_by(step.partition)}"
        case steps.Assign():
            return f"assign {text_of(step.time)} to {windows_in_words(step, step.time.type)}"
        case steps.Sessions():
            gap = length_in_words(step.gap, step.time.type)
            what = "sessions" if step.end else "starts of sessions"
            return f"{what} of {text_of(step.time)}{_by(step.keys)} gap {gap}"
        case steps.Union():
            return "union"
        case steps.Negate():
            return "negate"
        case steps.Join():
            pairs = [f"{a} = {b}" for a, b in zip(step.left, step.right, strict=True)]
            rest = [text_of(step.condition)] if step.condition is not None else []
            return f"join {' and '.join(pairs + rest) or 'all pairs'}"
        case steps.BestMatch():
            pairs = [f"{a} = {b}" for a, b in zip(step.left, step.right, strict=True)]
            rest = [text_of(step.condition)] if step.condition is not None else []
            conditions = f" where {' and '.join(pairs + rest)}" if pairs or rest else ""
            return f"best match {_dimensions(step.dimensions)}{conditions}"
        case steps.Best():
            return f"best {_dimensions(step.dimensions)}{_by(step.group)}"
        case steps.Count():
            return f"count {step.copies}"
        case steps.Aggregate():
            calls = ", ".join(text_of(call) for _, call in step.calls)
            return f"aggregate {calls or 'nothing'}{_by(step.keys)}"
        case steps.Over():
            calls = ", ".join(str(call) for _, call in step.calls)
            order = f" order {', '.join(map(str, step.order))}" if step.order else ""
            limit = "" if step.limit is None else f" limit {step.limit[1]}"
            return f"over {calls}{_by(step.partition)}{order}{limit}"
        case steps.Changed():
            return f"{CHANGED[step.sign]} rows"
        case steps.Repeat():
            return "every row at every instant"
        case steps.Ticks():
            return f"ticks {_points(step.points, clock)}"
        case steps.Stamp():
            return f"stamp {step.column}"
        case steps.When():
            sampled = "" if step.points.is_all else f", now {_points(step.points, clock)}"
            return f"when {text_of(step.predicate)}{sampled}"
        case steps.Recognize():
            return f"recognize {step.pattern}{_by(step.partition)}"
        case steps.Recursion():
            return f"recursion until {'nothing is new' if step.distinct else 'a round is empty'}"
        case steps.Synchronize():
            points = "by events" if step.points.is_empty else _points(step.points, clock)
            return f"synchronize {points}"
    return type(step).__name__.lower()


def node_described(graph: Graph, place: int, clock: Clock | None = None) -> str:
    """A step in a few words, with how it is computed where that depends on its inputs."""
    node = graph.nodes[place]
    words = described(node.step, clock)
    if isinstance(node.step, steps.BestMatch):
        sides = [graph.nodes[source].schema.names for source in node.inputs]
        if is_as_of(node.step.dimensions, node.step.condition, *sides):
            words += ", as an as-of join"
    return words


def state_in_words(step: Step) -> str:
    """What a step keeps from one epoch to the next, and for how long; nothing where it keeps nothing."""
    match step:
        case steps.RangeWindow(slide=slide) if slide != 1:
            return "elements until the next slide"
        case steps.Apply():
            return "the current rows"
        case steps.AliveSince():
            return "the elements before that instant, until it is reached"
        case steps.RowWindow():
            by = " of each partition" if step.partition else ""
            return f"the last {_length(step.count)} rows{by}"
        case steps.NestedRowWindows():
            by = " of each partition" if step.partition else ""
            return f"the last {_length(max(count for count, _ in step.windows))} rows{by}"
        case steps.SessionWindow():
            return "the rows of the sessions that go on"
        case steps.Sessions(end=""):
            return "the last session of each key, until it is over"
        case steps.Sessions():
            over = ", until the sessions are over" if step.delay is not None else ""
            return f"the current rows with their sessions, and the future ends of elements{over}"
        case steps.Join():
            return f"the elements of both sides until they end{_until(step.closing, 'or')}"
        case steps.BestMatch():
            return "the elements of both sides until they end"
        case steps.Best():
            return "the elements until they end"
        case steps.Count():
            until = _until(step.closing)
            return f"the number of copies of each row{until}, and the future ends of elements"
        case steps.Aggregate():
            users = [call.user for _, call in step.calls if call.user is not None]
            anew = _recomputed([user for user in users if not retracts(user)], "when they change")
            what = "the rows of each group" if users else "the accumulators of each group"
            return f"{what}{_until(step.closing)}{anew}, and the future ends of elements"
        case steps.Over():
            framed = [call.aggregation.user for _, call in step.calls if isinstance(call, Framed)]
            anew = _recomputed([user for user in framed if user is not None], "for each frame")
            return f"the current rows{_until(step.closing)}{anew}, and the future ends of elements"
        case steps.Changed() | steps.Repeat():
            return "the current rows, and the future ends of elements"
        case steps.Recognize():
            return "the rows of matches that are not decided"
        case steps.Recursion():
            return "the elements until they end, and the current rows"
        case steps.When():
            return "the elements of which the condition is not true yet"
        case steps.Synchronize():
            return "the changes since the last time point"
    return ""


def _until(closing: steps.Closing | None, word: str = "until") -> str:
    return "" if closing is None else f" {word} {closing.column} has passed"


def _recomputed(functions: Sequence[UserFunction], at: str) -> str:
    """That aggregates of users look at all rows again."""
    names = list(dict.fromkeys(function.name for function in functions))
    verb = "is" if len(names) == 1 else "are"
    return f", from which {' and '.join(names)} {verb} recomputed {at}" if names else ""


def growth_in_words(growth: Growth) -> str:
    """Which window grows, what keeps its rows, and what would bound it."""
    where = "" if growth.window is None else f"{growth.window.content}: "
    return f"{where}{growth.warning.message}. {growth.warning.hint}"


def _dimensions(dimensions: Sequence[Dimension]) -> str:
    return ", ".join(
        f"({text_of(one.operands[0])}) {one.order}{'' if one.bound is None else f' {text_of(one.bound)}'}"
        for one in dimensions
    )


def _by(key: Sequence[str]) -> str:
    return f" by {', '.join(key)}" if key else ""


def _length(count: int) -> str:
    return "unbounded" if count >= INFINITY else str(count)


def _points(points: Points, clock: Clock | None) -> str:
    return points.in_words(lambda chronons: _lasting(chronons, clock))


def _lasting(chronons: int, clock: Clock | None) -> str:
    return _length(chronons) if clock is None else clock.lasting(chronons).lower()
