"""Explains a FluX query: its handlers, what is buffered and why, what is computed on the fly."""

from __future__ import annotations

from slackwater.flux.plan.costs import Buffered, buffered
from slackwater.flux.plan.printer import print_flux
from slackwater.flux.plan.printer import query as printed
from slackwater.flux.plan.syntax import Flux
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.guards import pushed
from slackwater.flux.rewrite.normal import normal
from slackwater.flux.rewrite.simplify import steps
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.printer import print_query as expression
from slackwater.schema import Schema


def explained(query: Flux) -> str:
    """The text that `slackwater explain` shows for a query over XML."""
    sections = [print_flux(query.body), explained_buffers(query)]
    if lines := _computed(query):
        sections.append("\n".join(["computed on the fly:", *(f"  {line}" for line in lines)]))
    if query.lets:
        lines = [f"${let.variable} := {_line(let.value)}, per ${let.scope}" for let in query.lets]
        sections.append("\n".join(["computed once:", *(f"  {line}" for line in lines)]))
    return "\n\n".join(sections)


def explained_steps(module: ast.Module, schema: Schema) -> str:
    """The normal form, and every law of section 3.6 that applies to it."""
    query = normal(module, schema)
    sections = [f"normal form:\n\n{printed(pushed(query.body))}"]
    for step in steps(query.body, Facts.of(query)):
        sections.append(f"by {step.rule}: {step.law}\n\n{printed(step.plan)}")
    return "\n\n".join(sections)


def explained_buffers(query: Flux) -> str:
    """What is buffered: per which element, how many bytes, for how long."""
    rows = buffered(query)
    if not rows:
        return "nothing is buffered"
    lines: list[str] = ["buffered:"]
    for per in dict.fromkeys(row.per for row in rows):
        lines.append(f"  per {per}:")
        lines += [f"    {line}" for line in _table([row for row in rows if row.per == per])]
    return "\n".join(lines)


def _table(rows: list[Buffered]) -> list[str]:
    cells = [(row.path, row.what, row.size, row.until) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _computed(query: Flux) -> list[str]:
    folds = [f"{_line(fold.expr)}, per ${fold.variable}" for fold in query.folds]
    return [
        *(f"{_line(accumulator.expr)}, per ${accumulator.variable}" for accumulator in query.accumulators),
        *folds,
    ]


def _line(expr: ast.Expr) -> str:
    return " ".join(expression(expr).split())
