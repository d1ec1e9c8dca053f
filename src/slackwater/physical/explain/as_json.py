"""An explanation as JSON; `docs/explain.md` describes the keys.

VERSION changes if a key is renamed or removed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from slackwater.algebra import Operator, Schema
from slackwater.algebra.explain import described as operator_in_words
from slackwater.algebra.expressions import Expression
from slackwater.algebra.expressions.text import text_of
from slackwater.base.depth import deep
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.time import Clock
from slackwater.optimize.cost.estimates import Estimate
from slackwater.physical import steps
from slackwater.physical.explain.costs import Costs
from slackwater.physical.explain.explanation import IN_PLACE, Exchange, ExplainedQuery, Explanation
from slackwater.physical.explain.words import node_described, state_in_words
from slackwater.physical.pushdown.filters import row_filters
from slackwater.physical.stages.plan import Work

VERSION = 1
Record = dict[str, Any]


def as_json(explanation: Explanation) -> str:
    """The explanation as JSON, indented."""
    return json.dumps(as_data(explanation), indent=2, ensure_ascii=False)


@deep()
def as_data(explanation: Explanation) -> Record:
    """The explanation as dictionaries and lists."""
    filters = row_filters(explanation.graph)
    whole: Record = {
        "version": VERSION,
        "queries": [_query(query, explanation) for query in explanation.queries],
        "steps": [
            _step(work, name, explanation, filters)
            for _, (name, work) in sorted(explanation.works.items(), key=lambda item: item[0])
        ],
        "stages": [
            {
                "stage": name,
                "is_single": bool(stage.works) and all(work.is_single for work in stage.works),
                "steps": [work.node for work in stage.works],
            }
            for name, stage in explanation.parts
        ],
        "exchanges": [_exchange(exchange) for exchange in explanation.exchanges],
        "answered": [
            {"query": one.query, "from": one.view, "how": str(one), "law": one.law}
            for one in explanation.rewritings
        ],
        "shared": [{"step": place, "queries": list(names)} for place, names in explanation.shared.items()],
    }
    return whole if explanation.costs is None else _with_costs(whole, explanation, explanation.costs)


def _with_costs(whole: Record, explanation: Explanation, costs: Costs) -> Record:
    """The explanation with the estimates of steps and exchanges, and their sums."""
    for step in whole["steps"]:
        step["estimate"] = _estimate(costs.of_steps.get(step["step"]), costs)
    for exchange in whole["exchanges"]:
        moves = exchange["way"] != IN_PLACE and exchange["sums_for"] is None
        exchange["bytes"] = costs.exchanged(explanation.graph, exchange["step"]) if moves else 0.0
    estimates = costs.of_steps.values()
    whole["cost"] = {
        "per": costs.unit,
        "work": costs.per_unit(sum(one.work for one in estimates)),
        "state_rows": sum(one.state for one in estimates),
        "state_bytes": sum(one.state_bytes for one in estimates),
        "exchanged_bytes": sum(exchange["bytes"] for exchange in whole["exchanges"]),
        "by_default": any(one.is_default for one in estimates),
    }
    return whole


def _estimate(one: Estimate | None, costs: Costs) -> Record | None:
    """The estimate of the operator that ends with a step; None for a step inside one."""
    if one is None:
        return None
    return {
        "rate": costs.per_unit(one.rate),
        "ends": costs.per_unit(one.ends),
        "retracted": costs.per_unit(one.retracted),
        "alive": one.alive,
        "row_bytes": one.width,
        "work": costs.per_unit(one.work),
        "state_rows": one.state,
        "state_bytes": one.state_bytes,
    }


def _query(query: ExplainedQuery, explanation: Explanation) -> Record:
    return {
        "name": query.name,
        "kind": str(query.before.kind),
        "columns": _columns(query.before.schema),
        "before": list(_operators(query.before, explanation.clock)),
        "after": list(_operators(query.after, explanation.clock)),
        "rules": [{"rule": step.rule, "law": step.law} for step in query.applied],
        "answer": explanation.graph.outputs[query.name],
        "warnings": [_warning(warning) for warning in query.warnings],
    }


def _operators(plan: Operator, clock: Clock) -> Iterator[Record]:
    """The operators of a plan, inputs before what uses them, each once; the last is the root."""
    places: dict[int, int] = {}

    def visit(node: Operator) -> Iterator[Record]:
        if id(node) in places:
            return
        for below in (*node.inputs, *node.subplans):
            yield from visit(below)
        places[id(node)] = len(places)
        yield {
            "operator": type(node).__name__,
            "text": operator_in_words(node, lambda n: clock.lasting(n).title()),
            "inputs": [places[id(source)] for source in node.inputs],
            "subqueries": [places[id(subplan)] for subplan in node.subplans],
        }

    yield from visit(plan)


def _columns(schema: Schema) -> list[Record]:
    return [{"name": name, "type": str(type_)} for name, type_ in schema]


def _warning(warning: Diagnostic) -> Record:
    span = warning.span
    return {
        "code": warning.code,
        "message": warning.message,
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "hint": warning.hint,
    }


def _step(work: Work, stage: str, explanation: Explanation, filters: Mapping[str, Expression]) -> Record:
    place = work.node
    node = explanation.graph.nodes[place]
    needed = filters.get(node.step.name) if isinstance(node.step, steps.Read) else None
    return {
        "step": place,
        "operation": type(node.step).__name__,
        "text": node_described(explanation.graph, place, explanation.clock),
        "inputs": list(node.inputs),
        "columns": _columns(node.schema),
        "stage": stage,
        "keeps": state_in_words(node.step) or None,
        "placed_by": _placed_by(work),
        "filter": None if needed is None else text_of(needed),
        "queries": list(explanation.uses[place]),
        "answers": [name for name, at in explanation.graph.outputs.items() if at == place],
        "grows": [_warning(growth.warning) for growth in explanation.growing.get(place, ())],
    }


def _placed_by(work: Work) -> list[list[str] | None]:
    """For each input the columns that place its rows in partitions; [] in the first one, None in all."""
    return [None if side == work.broadcast else list(key) for side, key in enumerate(work.keys)]


def _exchange(exchange: Exchange) -> Record:
    move = exchange.move
    return {
        "step": move.node,
        "from": exchange.source,
        "to": exchange.target,
        "way": exchange.way,
        "key": list(move.key or ()),
        "sums_for": move.sums_for,
        "taken_by": list(exchange.takers),
    }
