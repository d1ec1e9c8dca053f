"""An explanation in one of the formats that a user can ask for."""

from __future__ import annotations

from typing import Final

from slackwater.algebra.explain import explained
from slackwater.physical.explain.as_json import as_json
from slackwater.physical.explain.explanation import ExplainedQuery, Explanation
from slackwater.physical.explain.picture.svg import as_svg
from slackwater.physical.explain.text import (
    explained_cost,
    explained_full_points,
    explained_growth,
    explained_rewritings,
    explained_rules,
    explained_sharing,
    explained_stages,
    explained_steps,
)

FORMATS: Final = ("text", "json", "svg")


def presented(explanation: Explanation, format: str, title: str) -> str:
    """The explanation as JSON or as a picture with that title."""
    return as_json(explanation) if format == "json" else as_svg(explanation, title)


def in_text(explanation: Explanation, where: str, trace: bool = False) -> str:
    """The queries one after the other, then their common steps and stages; `where` these are computed."""
    parts = [part for query in explanation.queries for part in _query(query, explanation, trace)]
    parts += ["steps", explained_steps(explanation.graph, explanation.clock)]
    parts += [f"stages, {where}", explained_stages(explanation.stages, explanation.clock)]
    for title, text in sections(explanation):
        parts += [title, text]
    return "\n\n".join(parts)


def sections(explanation: Explanation) -> list[tuple[str, str]]:
    """What is said of the queries together: rules, estimates, what is shared, what grows; if there is any."""
    all_sections = [
        ("answered from each other", explained_rewritings(explanation)),
        ("rules applied", explained_rules(explanation)),
        ("full synchronization points", explained_full_points(explanation)),
        ("cost, estimated", explained_cost(explanation)),
        ("shared by several queries", explained_sharing(explanation)),
        ("state that grows without bound", explained_growth(explanation)),
    ]
    return [(title, text) for title, text in all_sections if text]


def _query(query: ExplainedQuery, explanation: Explanation, trace: bool) -> list[str]:
    clock = explanation.clock
    parts = [f"{query.name}: {query.before.kind} {query.before.schema}", explained(query.before, clock)]
    for step in query.applied if trace else ():
        parts += [f"{step.rule}:   {step.law}", explained(step.plan, clock)]
    return [*parts, "optimized", explained(query.after, clock)]
