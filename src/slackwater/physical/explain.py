"""Graphs and stages as text: what each step does, on which inputs, and what it keeps for how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from slackwater.algebra.expressions.text import labelled, text_of
from slackwater.base.time import INFINITY, Clock
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.pushdown.filters import row_filters
from slackwater.physical.stages.plan import SIDES, Move, Stage, Stages, Work
from slackwater.physical.steps import Step


def explained_steps(graph: Graph, clock: Clock | None = None) -> str:
    """One line for each step: its place, what it does, the places it reads; the state under it."""
    return "\n".join(_lines(graph, clock))


def _lines(graph: Graph, clock: Clock | None) -> Iterator[str]:
    width = len(str(max(len(graph.nodes) - 1, 0)))
    for place, node in enumerate(graph.nodes):
        yield f"{place:>{width}}  {_line(graph, place, node.inputs, clock)}"
        if keeps := state_in_words(node.step):
            yield f"{'':>{width}}    keeps {keeps}"


def explained_stages(stages: Stages) -> str:
    """A paragraph for each stage: what moves to it and by what, its steps, and what each keeps."""
    lines = ["scan", *_steps(stages, stages.beside)]
    for number, stage in enumerate(stages.stages):
        is_single = stage.works and all(work.is_single for work in stage.works)
        where = ", in one partition" if is_single else ""
        lines += ["", f"stage {number}{where}"]
        lines += [f"  exchange {move.node} {_way(move, stages)}" for move in stage.takes]
        lines += _steps(stages, stage)
    return "\n".join(lines)


def _way(move: Move, stages: Stages) -> str:
    if move.is_broadcast:
        return "to every partition"
    if move.sums_for is not None:
        where = _way(replace(move, sums_for=None), stages)
        return f"{where}, as partial sums for {move.sums_for} if these are fewer"
    if move.key:
        return f"by {', '.join(move.key)}"
    if move.key == ():
        return "to the first partition"
    is_read = any(work.node == move.node for work in stages.beside.works)
    return "in equal parts" if is_read else "where it is"


def _steps(stages: Stages, stage: Stage) -> Iterator[str]:
    filters = row_filters(stages.graph)
    for work in stage.works:
        step = stages.graph.nodes[work.node].step
        inputs = [move.node if isinstance(move, Move) else move for move in work.inputs]
        yield f"  {work.node}  {_line(stages.graph, work.node, inputs)}"
        if isinstance(step, steps.Read) and step.name in filters:
            yield f"       filtered in the JVM, where Spark reads Parquet: {text_of(filters[step.name])}"
        if keeps := state_in_words(step):
            yield f"       keeps {keeps}, {_placed(work)}"


def _placed(work: Work) -> str:
    keys = dict.fromkeys(", ".join(key) for key in work.keys if key)
    side = "" if work.broadcast is None else f", the {SIDES[work.broadcast]} side in every partition"
    return f"placed by {' and '.join(keys)}{side}" if keys else "in the first partition"


def _line(graph: Graph, place: int, inputs: Sequence[int], clock: Clock | None = None) -> str:
    """What the step at a place does, the places it reads, and the answer that it gives."""
    reads = f" of {', '.join(map(str, inputs))}" if inputs else ""
    gives = "".join(f"   => {name}" for name, at in graph.outputs.items() if at == place)
    return f"{described(graph.nodes[place].step, clock)}{reads}{gives}"


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
            return f"filter {text_of(step.predicate)}"
        case steps.Map():
            return f"map {', '.join(labelled(name, text_of(expr)) for name, expr in step.columns)}"
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
        case steps.Union():
            return "union"
        case steps.Negate():
            return "negate"
        case steps.Join():
            pairs = [f"{a} = {b}" for a, b in zip(step.left, step.right, strict=True)]
            rest = [text_of(step.condition)] if step.condition is not None else []
            return f"join {' and '.join(pairs + rest) or 'all pairs'}"
        case steps.Count():
            return f"count {step.copies}"
        case steps.Aggregate():
            calls = ", ".join(text_of(call) for _, call in step.calls)
            return f"aggregate {calls or 'nothing'}{_by(step.keys)}"
        case steps.Changed():
            return "inserted rows" if step.sign > 0 else "deleted rows"
        case steps.Repeat():
            return "every row at every instant"
        case steps.Ticks():
            return f"ticks {step.points}"
        case steps.Stamp():
            return f"stamp {step.column}"
        case steps.When():
            sampled = "" if step.points.is_all else f", now {step.points}"
            return f"when {text_of(step.predicate)}{sampled}"
        case steps.Synchronize():
            return f"synchronize {step.points}"
    return type(step).__name__.lower()


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
        case steps.Join():
            return "the elements of both sides until they end"
        case steps.Count():
            return "the number of copies of each row, and the future ends of elements"
        case steps.Aggregate():
            return "the accumulators of each group, and the future ends of elements"
        case steps.Changed() | steps.Repeat():
            return "the current rows, and the future ends of elements"
        case steps.When():
            return "the elements of which the condition is not true yet"
        case steps.Synchronize():
            return "the changes since the last time point"
    return ""


def _by(key: Sequence[str]) -> str:
    return f" by {', '.join(key)}" if key else ""


def _length(count: int) -> str:
    return "unbounded" if count >= INFINITY else str(count)


def _lasting(chronons: int, clock: Clock | None) -> str:
    return _length(chronons) if clock is None else clock.lasting(chronons).lower()
