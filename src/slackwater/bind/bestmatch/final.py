"""FINAL: the pairs of a best-match join of streams, once, when no later row can change them.      thesis 4.3

time     0  1  2  3  4  5  6  7  8          |T.TS - H.TS| MIN 2
T              r
H           a     b     c                   a, b and c may match r; what comes after 4 cannot
                     r final                the best of r's pairs are emitted at 4

    FINAL (T ⊠ left H) = Istream ((ω 0 (T delayed by ε)) ⊠ left (ω 2ε H))
    T delayed by ε     = Dstream (ω (ε - 1) (τ T)), T itself for ε = 0

At t + ε the window of 2 ε holds the rows of H from t - ε to t + ε. ⊠ right is the same from the other side. A
pair of ⊠ full may be final for both of its rows; it is emitted at the first of the two instants, within ε of
the second:

    FINAL (T ⊠ full H) = Istream (ω ε (FINAL (T ⊠ left H)) ∪max ω ε (FINAL (T ⊠ right H)))

All rows have their times (τ), so that no two of them cancel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator, Side
from slackwater.algebra.types import UNKNOWN
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.bestmatch import problems
from slackwater.bind.bestmatch.join import Match, match_of
from slackwater.bind.bestmatch.ordered import Ordered, ordered, reach_of
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.catalog import Source
from slackwater.bind.expressions import Expressions
from slackwater.bind.scope import From, Scope, unique_names
from slackwater.bind.synchronization.relations import time_type
from slackwater.language.cql import nodes

if TYPE_CHECKING:
    from slackwater.bind.query import Queries

_CLAUSES = {
    "group": "GROUP BY", "having": "HAVING", "distinct": "DISTINCT", "order": "ORDER BY", "limit": "LIMIT",
}  # fmt: skip


def final(queries: Queries, node: nodes.StreamOf, outer: list[Expressions]) -> Operator:
    """FINAL(SELECT … FROM T LEFT OUTER BESTMATCH JOIN H ON …): a stream; BROKEN for errors."""
    binding, span = queries.binding, queries.binding.span(node)
    select = _select(node)
    join = None if select is None or outer else _only_join(select)
    if select is None or join is None:
        binding.report(problems.NOT_FINAL.at(span))
        return BROKEN
    for clause, word in _CLAUSES.items():
        if select.args.get(clause):
            binding.report(problems.FINAL_CLAUSE.at(span, clause=word))
            return BROKEN
    return _Final(queries, binding).stream(select, join, span)


def _select(node: exp.Expression) -> exp.Select | None:
    inside = node.this
    while isinstance(inside, exp.Subquery):
        inside = inside.this
    return inside if isinstance(inside, exp.Select) else None


def _only_join(select: exp.Select) -> exp.Join | None:
    """The join of the query, if that is one best-match join and nothing else."""
    joins: list[exp.Join] = select.args.get("joins") or []
    is_one = len(joins) == 1 and isinstance(joins[0].args.get("on"), nodes.BestMatchOn)
    return joins[0] if is_one else None


@dataclass(frozen=True, slots=True)
class _Final:
    """Binds one FINAL query."""

    queries: Queries
    binding: Binding

    def stream(self, select: exp.Select, join: exp.Join, span: Span) -> Operator:
        left, right = self._input(select.args["from_"].this), self._input(join.this)
        if left is None or right is None:
            return BROKEN
        both = Scope([*left.scope.tables, *right.scope.tables])
        alias = both.tables[1].alias
        if both.tables[0].alias.lower() == alias.lower():
            self.binding.report(errors.duplicate_alias(alias, self.binding.span(join.this)))
        match = match_of(join, self.queries.expressions(both, [], "ON of a best-match join under FINAL"))
        if match is None or self.binding.errors:
            return BROKEN
        reach = reach_of(match, left, right)
        if match.side is None:
            self.binding.report(problems.NO_FINAL_PAIRS.at(self.binding.span(join)))
        if reach is None:
            self.binding.report(problems.NO_BOUND.at(self.binding.span(join.args["on"])))
        if reach is None or match.side is None:
            return BROKEN
        pairs = _final_pairs(match, left.plan, right.plan, reach, span)
        return self._projected(select, From(pairs, both), span)

    def _projected(self, select: exp.Select, source: From, span: Span) -> Operator:
        """WHERE and the select list, on the stream of pairs."""
        plan, where = source.plan, select.args.get("where")
        if where is not None:
            condition = self.queries.expressions(source.scope, [], "WHERE").condition(where.this, "WHERE")
            if condition.type is UNKNOWN:
                return BROKEN
            plan = algebra.Select(plan, condition, origin=condition.origin)
        columns = self.queries.select_list(select, self.queries.expressions(source.scope, [], "SELECT"))
        if any(value.type is UNKNOWN for _, value in columns):
            return BROKEN
        names = unique_names([name for name, _ in columns])
        values = (value for _, value in columns)
        return algebra.Project(plan, tuple(zip(names, values, strict=True)), origin=span)

    def _input(self, node: exp.Expression) -> Ordered | None:
        """A side of the join; None, and an error, if it is no stream without a window."""
        span = self.binding.span(node)
        if not isinstance(node, exp.Table):
            self.binding.report(problems.FINAL_WINDOW.at(span))
            return None
        stream, alias = self.queries.resolve(node), node.alias or node.name
        if stream is not BROKEN and stream.kind is Kind.RELATION:
            self.binding.report(problems.NOT_ORDERED.at(span, name=node.name))
            return None
        if stream is BROKEN:
            return None
        entry = None if self.queries.is_local(node) else self.binding.catalog.get(node.name)
        time = entry.time if isinstance(entry, Source) else None
        return ordered(stream, alias, self.binding.unique(alias), time, time_type(self.binding), span)


def _final_pairs(match: Match, left: Operator, right: Operator, reach: int, span: Span) -> Operator:
    if match.side is not Side.FULL:
        return _final_of(match, left, right, reach, match.side, span)
    sides = [_final_of(match, left, right, reach, side, span) for side in (Side.LEFT, Side.RIGHT)]
    one, other = (algebra.Range(pairs, reach, origin=span) for pairs in sides)
    return algebra.Istream(algebra.MaxUnion(one, other, origin=span), origin=span)


def _final_of(
    match: Match, left: Operator, right: Operator, reach: int, side: Side | None, span: Span
) -> Operator:
    """The pairs that are best for the rows of a side, each when all partners of its row are known."""
    one, other = (
        algebra.Range(_delayed(stream, reach, span), 0, origin=span)
        if here is side
        else algebra.Range(stream, 2 * reach, origin=span)
        for here, stream in ((Side.LEFT, left), (Side.RIGHT, right))
    )
    return algebra.Istream(match.of(one, other, side, span), origin=span)


def _delayed(stream: Operator, reach: int, span: Span) -> Operator:
    """The elements so many chronons later."""
    return algebra.Dstream(algebra.Range(stream, reach - 1, origin=span), origin=span) if reach else stream
