"""The columns of `*`, without those of EXCEPT and with other values for those of REPLACE."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra.expressions import Expression
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.expressions import Expressions


def starred(
    columns: list[tuple[str, Expression]], node: exp.Expression, binder: Expressions, span: Span
) -> list[tuple[str, Expression]]:
    """The columns that remain, and their values."""
    star = node.this if isinstance(node, exp.Column) else node
    excluded = {name.name.lower() for name in star.args.get("except_") or []}
    values = {item.alias.lower(): item for item in star.args.get("replace") or []}
    items = [*(star.args.get("except_") or []), *(star.args.get("replace") or [])]
    known = {name.lower() for name, _ in columns}
    _check(items, known, excluded, binder)
    remaining: list[tuple[str, Expression]] = []
    for name, value in columns:
        if name.lower() in values:
            remaining.append((name, binder.bind(values[name.lower()].unalias())))
        elif name.lower() not in excluded:
            remaining.append((name, binder.visible(value, name, span, is_outer=False)))
    if columns and not remaining:
        binder.binding.report(errors.empty_select_list(span))
    return remaining


def _check(items: list[exp.Expression], known: set[str], excluded: set[str], binder: Expressions) -> None:
    """Report names of EXCEPT and REPLACE that `*` does not have, or that are there twice."""
    seen: set[str] = set()
    for item in items:
        name, span = item.alias or item.name, binder.binding.span(item)
        if isinstance(item, exp.Column | exp.Identifier | exp.Alias) and name.lower() not in known:
            if binder.scope.is_known:
                binder.binding.report(errors.unknown_column(name, binder.scope.summary, span))
        elif name.lower() in seen:
            binder.binding.report(errors.duplicate_column(name, span))
        elif not isinstance(item, exp.Identifier | exp.Alias):
            hint = "Name the column after AS: * REPLACE (a + 1 AS a)."
            binder.binding.report(errors.unsupported_expression("REPLACE without a name", span, hint))
        seen.add(name.lower())
