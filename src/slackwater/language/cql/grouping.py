"""Parsing GROUPING SETS (…) in GROUP BY as a call, as ROLLUP (…) and CUBE (…) are."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql.expressions import ExpressionParser

SETS = "GROUPING SETS"


class GroupingParser(ExpressionParser):
    """The part of the parser for grouping sets."""

    def _parse_grouping_sets(self) -> exp.Expr | None:  # type: ignore[override]
        if self._words(3) != [*SETS.split(), "("]:
            return None
        first = self._curr
        self._advance(3)
        sets = self._parse_csv(lambda: self._parse_grouping_sets() or self._parse_disjunction())
        self._expect(TokenType.R_PAREN, ")")
        return self._mark(exp.Anonymous(this=SETS, expressions=sets), first)
