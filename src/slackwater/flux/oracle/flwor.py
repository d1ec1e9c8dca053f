"""FLWOR: a stream of tuples of variables, made longer, filtered and ordered clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key

from slackwater.flux.values import types as tree_types
from slackwater.flux.values.atomic import Atomic, Item, Items, Untyped, at_most_one, truth
from slackwater.flux.values.context import Context, Evaluate
from slackwater.flux.values.equality import ordered
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast


def tuples(clauses: tuple[ast.Clause, ...], context: Context, value: Evaluate) -> list[Context]:
    """The tuples after all clauses, each a context with its variables bound."""
    found = [context]
    for clause in clauses:
        match clause:
            case ast.For():
                found = [inner for each in found for inner in _looped(clause, each, value)]
            case ast.Let(variable, expr, type_):
                found = [
                    each.bound(variable, tree_types.checked(value(expr, each), type_, each)) for each in found
                ]
            case ast.Where(condition):
                found = [each for each in found if truth(value(condition, each))]
            case ast.OrderBy(keys):
                found = _ordered(found, keys, value)
    return found


def _looped(clause: ast.For, context: Context, value: Evaluate) -> Iterator[Context]:
    items = value(clause.source, context)
    if clause.window is None:
        bound: list[Items] = [[item] for item in items]
    else:
        bound = windows(items, clause.window, lambda item: _reference(item, clause.window, context, value))
    for position, each in enumerate(bound, 1):
        inner = context.bound(clause.variable, tree_types.checked(each, clause.type, context))
        yield inner.bound(clause.at, [position]) if clause.at else inner


def _reference(item: Item, window: ast.Window | None, context: Context, value: Evaluate) -> Items:
    """What a time-based window measures: the path's value below the item, or the item's own."""
    steps = window.reference if isinstance(window, ast.DiffWindow) else ()
    expr: ast.Expr = ast.Path(ast.ContextItem(), steps) if steps else ast.ContextItem()
    return value(expr, context.focused(item))


def _ordered(found: list[Context], keys: tuple[ast.OrderKey, ...], value: Evaluate) -> list[Context]:
    """Stable: tuples that compare equal stay in their order."""
    rows = [(each, [_key(value(key.key, each)) for key in keys]) for each in found]

    def compare(one: tuple[Context, list[Atomic | None]], other: tuple[Context, list[Atomic | None]]) -> int:
        for key, left, right in zip(keys, one[1], other[1], strict=True):
            greatest = key.empty_greatest
            if greatest is None:
                greatest = one[0].program.empty_greatest
            if order := ordered(left, right, empty_greatest=greatest):
                return -order if key.descending else order
        return 0

    return [each for each, _ in sorted(rows, key=cmp_to_key(compare))]


def _key(items: Items) -> Atomic | None:
    found = at_most_one(items, "order by")
    return found.text if isinstance(found, Untyped) else found
