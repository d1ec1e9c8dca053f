"""Graphs and stages as text: what each step does, on which inputs, and what it keeps for how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slackwater.algebra.explain import explained
from slackwater.algebra.expressions.text import text_of
from slackwater.base.time import Clock
from slackwater.optimize.facts.time_points import full_points
from slackwater.physical import steps
from slackwater.physical.explain.costs import Costs, in_bytes, short
from slackwater.physical.explain.explanation import IN_PLACE, Explanation
from slackwater.physical.explain.words import described, growth_in_words, node_described, state_in_words
from slackwater.physical.graph import Graph
from slackwater.physical.pushdown.filters import row_filters
from slackwater.physical.stages.plan import SIDES, Move, Stage, Stages, Work


def explained_steps(graph: Graph, clock: Clock | None = None) -> str:
    """One line for each step: its place, what it does, the places it reads; the state under it."""
    return "\n".join(_lines(graph, clock))


def _lines(graph: Graph, clock: Clock | None) -> Iterator[str]:
    width = len(str(max(len(graph.nodes) - 1, 0)))
    for place, node in enumerate(graph.nodes):
        yield f"{place:>{width}}  {_line(graph, place, node.inputs, clock)}"
        if keeps := state_in_words(node.step):
            yield f"{'':>{width}}    keeps {keeps}"


def explained_stages(stages: Stages, clock: Clock | None = None) -> str:
    """A paragraph for each stage: what moves to it and by what, its steps, and what each keeps."""
    lines = ["scan", *_steps(stages, stages.beside, clock)]
    for number, stage in enumerate(stages.stages):
        is_single = stage.works and all(work.is_single for work in stage.works)
        where = ", in one partition" if is_single else ""
        lines += ["", f"stage {number}{where}"]
        lines += [f"  exchange {move.node} {_way(move, stages)}" for move in stage.takes]
        lines += _steps(stages, stage, clock)
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


def explained_rewritings(explanation: Explanation) -> str:
    """A line for each query that is answered from others, and how."""
    return "\n".join(
        f"{one.query}: {one}{_saving(explanation.costs, one.cost, one.alone)}"
        for one in explanation.rewritings
    )


def _saving(costs: Costs | None, cost: float | None, alone: float | None) -> str:
    """What the rewriting saves, if costs are shown."""
    if costs is None or cost is None or alone is None:
        return ""
    unit = costs.unit[0]
    before, after = (short(costs.per_unit(number)) for number in (alone, cost))
    return f"   [cost {after}/{unit} instead of {before}/{unit}]"


def explained_full_points(explanation: Explanation) -> str:
    """At which instants the answer of a query reflects all its input; nothing for queries that always do."""
    lines: list[str] = []

    def lasting(chronons: int) -> str:
        return explanation.clock.lasting(chronons).lower()

    for query in explanation.queries:
        full = full_points(query.after)
        if full is None or not full.points.is_all:
            points = (
                "not known" if full is None else full.in_words(lambda n: explanation.clock.lasting(n).lower())
            )
            lines.append(f"{query.name}: {points}")
    return "\n".join(lines)


def explained_cost(explanation: Explanation) -> str:
    """The optimized plans with an estimate of each operator, and the sums; nothing without statistics."""
    costs = explanation.costs
    if costs is None:
        return ""
    plans = [explained(query.after, explanation.clock, note=costs.in_words) for query in explanation.queries]
    estimates = costs.of_steps.values()
    moved = sum(
        costs.exchanged(explanation.graph, exchange.move.node)
        for exchange in explanation.exchanges
        if exchange.move.sums_for is None and exchange.way != IN_PLACE
    )
    parts = [
        f"{short(costs.per_unit(sum(one.work for one in estimates)))} elements touched a {costs.unit}",
        f"{short(sum(one.state for one in estimates))} kept",
        f"{in_bytes(sum(one.state_bytes for one in estimates))} of state",
        f"{in_bytes(moved)} exchanged a {costs.unit}",
    ]
    known = "; sources without statistics have defaults" if any(e.is_default for e in estimates) else ""
    return "\n\n".join([*plans, f"in all: {', '.join(parts)}{known}"])


def explained_rules(explanation: Explanation) -> str:
    """The rules that the optimizer applied, how often, and their laws."""
    laws = [(step.rule, step.law) for query in explanation.queries for step in query.applied]
    counts = Counter(laws)
    return "\n".join(
        f"{rule}{f' ({counts[rule, law]} times)' if counts[rule, law] > 1 else ''}: {law}"
        for rule, law in counts
    )


def explained_sharing(explanation: Explanation) -> str:
    """The steps that several queries use, each with these queries."""
    return "\n".join(
        f"{place}  {described(explanation.graph.nodes[place].step, explanation.clock)}: {', '.join(names)}"
        for place, names in explanation.shared.items()
    )


def explained_growth(explanation: Explanation) -> str:
    """The steps whose state grows without bound, why, and what would bound it."""
    return "\n".join(
        f"{place}  {growth_in_words(growth)}"
        for place, several in explanation.growing.items()
        for growth in several
    )


def _steps(stages: Stages, stage: Stage, clock: Clock | None) -> Iterator[str]:
    filters = row_filters(stages.graph)
    for work in stage.works:
        step = stages.graph.nodes[work.node].step
        inputs = [move.node if isinstance(move, Move) else move for move in work.inputs]
        yield f"  {work.node}  {_line(stages.graph, work.node, inputs, clock)}"
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
    return f"{node_described(graph, place, clock)}{reads}{gives}"
