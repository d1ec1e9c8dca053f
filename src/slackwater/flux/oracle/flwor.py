"""FLWOR: a stream of tuples of variables, extended, filtered and ordered clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key

from slackwater.flux.oracle.bestmatch import best
from slackwater.flux.values import types
from slackwater.flux.values.atomic import Atomic, Item, Items, Untyped, at_most_one, truth
from slackwater.flux.values.comparison import ordered
from slackwater.flux.values.context import Context, Evaluate
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast


def tuples(clauses: tuple[ast.Clause, ...], context: Context, value: Evaluate) -> list[Context]:
    """The tuples after all clauses, each a context with its variables bound."""
    contexts = [context]
    while clauses:
        size = ast.best_match_at(clauses)
        if size is not None:
            loops, join = clauses[:size], clauses[size]
            assert isinstance(join, ast.BestMatch)
            contexts = [pair for outer in contexts for pair in best(join, tuples(loops, outer, value), value)]
            clauses = clauses[size + 1 :]
            continue
        clause, clauses = clauses[0], clauses[1:]
        match clause:
            case ast.For():
                contexts = [inner for outer in contexts for inner in _looped(clause, outer, value)]
            case ast.Let(variable, expr, type_):
                contexts = [
                    outer.bound(variable, types.checked(value(expr, outer), type_, outer))
                    for outer in contexts
                ]
            case ast.Where(condition):
                contexts = [inner for inner in contexts if truth(value(condition, inner))]
            case ast.OrderBy(keys):
                contexts = _ordered(contexts, keys, value)
            case ast.BestMatch():
                raise TypeError("a best-match join without its loops")
    return contexts


def _looped(clause: ast.For, context: Context, value: Evaluate) -> Iterator[Context]:
    items = value(clause.source, context)
    if clause.window is None:
        values: list[Items] = [[item] for item in items]
    else:
        values = windows(items, clause.window, lambda item: _reference(item, clause.window, context, value))
    for position, bound in enumerate(values, 1):
        inner = context.bound(clause.variable, types.checked(bound, clause.type, context))
        yield inner.bound(clause.at, [position]) if clause.at else inner


def _reference(item: Item, window: ast.Window | None, context: Context, value: Evaluate) -> Items:
    """The value that a time-based window measures: that of the path below the item, or the item itself."""
    steps = window.reference if isinstance(window, ast.DiffWindow) else ()
    expr: ast.Expr = ast.Path(ast.ContextItem(), steps) if steps else ast.ContextItem()
    return value(expr, context.focused(item))


def _ordered(contexts: list[Context], keys: tuple[ast.OrderKey, ...], value: Evaluate) -> list[Context]:
    """Sort stably: tuples that compare equal keep their order."""
    rows = [(context, [_key(value(key.key, context)) for key in keys]) for context in contexts]

    def compare(one: tuple[Context, list[Atomic | None]], other: tuple[Context, list[Atomic | None]]) -> int:
        for key, left, right in zip(keys, one[1], other[1], strict=True):
            greatest = key.empty_greatest
            if greatest is None:
                greatest = one[0].program.empty_greatest
            if order := ordered(left, right, empty_greatest=greatest):
                return -order if key.descending else order
        return 0

    return [context for context, _ in sorted(rows, key=cmp_to_key(compare))]


def _key(items: Items) -> Atomic | None:
    atom = at_most_one(items, "order by")
    return atom.text if isinstance(atom, Untyped) else atom
