"""Parsing UNNEST, explode and LATERAL in FROM.

FROM t, UNNEST(t.tags) WITH ORDINALITY AS u(tag, n)     FROM t LATERAL VIEW OUTER explode(tags) u AS tag
FROM t LEFT JOIN LATERAL (SELECT … WHERE s.a = t.a) AS q ON TRUE
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.bestmatch import BestMatchParser
from slackwater.language.cql.nodes import LateralQuery, Unnested

TABLE_FUNCTIONS = (
    "unnest", "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer"
)  # fmt: skip
"""Functions from arrays to rows."""


class LateralParser(BestMatchParser):
    """The part of the parser for what looks at earlier items of FROM."""

    def _words(self, count: int) -> list[str]:
        return [token.text.upper() for token in self._tokens[self._index : self._index + count]]

    def _at_lateral(self) -> bool:
        """Whether UNNEST(, explode( or LATERAL with one of them or a query follows."""
        words = self._words(3)
        is_lateral = words[:1] == ["LATERAL"] and self._curr.token_type == TokenType.VAR
        if is_lateral and words[1:2] == ["("]:
            return True
        call = words[1:] if is_lateral else words[:2]
        return call[1:] == ["("] and call[0].lower() in TABLE_FUNCTIONS

    def _at_lateral_view(self) -> bool:
        return self._words(2) == ["LATERAL", "VIEW"] and self._curr.token_type == TokenType.VAR

    def _at_clause_of_source(self) -> bool:
        return super()._at_clause_of_source() or self._at_lateral_view()

    def _parse_lateral_item(self) -> exp.Expr:
        """An item of FROM that may look at those before it, with its alias."""
        first = self._curr
        self._match_text_seq("LATERAL")
        if self._match(TokenType.L_PAREN):
            item: exp.Expr = LateralQuery(this=self._parse_query())
            self._expect(TokenType.R_PAREN, ")")
            self._mark(item, first)
        else:
            item = self._parse_table_function()
        item.set("alias", self._parse_table_alias())
        return item

    def _parse_table_function(self) -> Unnested:
        first = self._curr
        self._advance()
        if first.text.lower() not in TABLE_FUNCTIONS:
            self.refuse(errors.unexpected(self.span(first), "UNNEST, explode, posexplode or inline"))
        self._expect(TokenType.L_PAREN, "(")
        arrays = self._parse_csv(self._parse_disjunction)
        self._expect(TokenType.R_PAREN, ")")
        call = Unnested(function=first.text.lower(), expressions=arrays)
        if self._match_text_seq("WITH", "ORDINALITY"):
            call.set("ordinality", True)
        return self._mark(call, first)

    def _parse_lateral_view(self) -> exp.Join | None:
        """LATERAL VIEW [OUTER] explode(array) [name] [AS columns], as a join."""
        if not self._at_lateral_view():
            return None
        first = self._curr
        self._advance(2)
        is_outer = self._match(TokenType.OUTER)
        item = self._parse_table_function()
        name = None if self._match(TokenType.ALIAS, advance=False) else self._parse_id_var(any_token=False)
        columns = self._parse_csv(self._parse_id_var) if self._match(TokenType.ALIAS) else []
        if self._prev.token_type == TokenType.ALIAS:
            self.refuse(errors.unexpected(self.span(self._curr), "names of columns"))
        if name or columns:
            item.set("alias", exp.TableAlias(this=name, columns=columns))
        kind = {"side": "LEFT", "on": exp.true()} if is_outer else {"kind": "CROSS"}
        return self._mark(self.expression(exp.Join(this=item, **kind)), first)
