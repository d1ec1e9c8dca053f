"""Best-match joins whose groups are the items of the first loop, taken apart into one join for each item."""

from __future__ import annotations

import dataclasses

from slackwater.flux.plan.terms import rebuilt
from slackwater.flux.rewrite.rename import ELSEWHERE, Names, Renaming
from slackwater.flux.rewrite.shapes import gives_nodes
from slackwater.language.xquery import syntax as ast


def item_by_item(expr: ast.Expr, names: Names) -> ast.Expr:
    """The expression with the law below applied wherever it can be."""

    def change(node: ast.Node) -> ast.Node:
        node = rebuilt(node, change)
        return _taken_apart(node, names) if isinstance(node, ast.Flwor) else node

    changed = change(expr)
    assert isinstance(changed, ast.Expr)
    return changed


def _taken_apart(flwor: ast.Flwor, names: Names) -> ast.Flwor:
    clauses: list[ast.Clause] = []
    rest = flwor.clauses
    while rest:
        rest = divide_outer_join(rest, names) or rest
        place = ast.best_match_at(rest) or 0
        clauses += rest[: place + 1]
        rest = rest[place + 1 :]
    return dataclasses.replace(flwor, clauses=tuple(clauses))


def divide_outer_join(clauses: tuple[ast.Clause, ...], names: Names) -> tuple[ast.Clause, ...] | None:
    """for $r in R for $s in S where $r left outer bestmatch join $s on Θ return α
    = for $r in R for $s in (for $x in S where $r bestmatch join $x on Θ[$s → $x] return $x) return α

    Each $r then needs S and nothing of the other items of R, which can be streamed. The same holds for
    `right outer` if $s is the first loop. It does not hold for positions: `at` counts all of S, and an item
    that is in R twice is one group with two positions.
    """
    place = ast.best_match_at(clauses)
    if place is None:
        return None
    first, join = clauses[0], clauses[place]
    assert isinstance(first, ast.For)
    assert isinstance(join, ast.BestMatch)
    if [group.name for group in join.groups] != [first.variable]:
        return None
    inner = next(number for number in range(1, place) if isinstance(clauses[number], ast.For))
    second = clauses[inner]
    assert isinstance(second, ast.For)
    if second.at is not None or (first.at is not None and not gives_nodes(first.source)):
        return None
    one = dataclasses.replace(join, kind="inner")
    chosen = ast.Flwor((*clauses[inner:place], one), ast.Variable(second.variable))
    # The copy binds variables of its own.
    source = Renaming(names, {}).of(chosen, {}, ELSEWHERE)
    lets = [clause for clause in clauses[inner + 1 : place] if isinstance(clause, ast.Let)]
    looped = dataclasses.replace(second, source=source, type=None)
    return (*clauses[:inner], looped, *lets, *clauses[place + 1 :])
