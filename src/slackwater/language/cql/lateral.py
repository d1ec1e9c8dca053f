"""Parsing UNNEST, explode and LATERAL in FROM.

FROM t, UNNEST(t.tags) WITH ORDINALITY AS u(tag, n)     FROM t LATERAL VIEW OUTER explode(tags) u AS tag
FROM t LEFT JOIN LATERAL (SELECT … WHERE s.a = t.a) AS q ON TRUE
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.bestmatch import BestMatchParser
from slackwater.language.cql.nodes import WINDOW_FUNCTIONS, LateralQuery, Unnested

TABLE_FUNCTIONS = (
    "unnest", "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer"
)  # fmt: skip
"""Functions from arrays to rows."""
SERIES = ("generate_series", "range")
"""Functions from numbers to rows."""
BUILT_IN = (*TABLE_FUNCTIONS, *SERIES)
"""All functions in FROM that are not of users."""


class LateralParser(BestMatchParser):
    """The part of the parser for what looks at earlier items of FROM."""

    def _words(self, count: int) -> list[str]:
        return [token.text.upper() for token in self._tokens[self._index : self._index + count]]

    def _at_lateral(self) -> bool:
        """Whether UNNEST(, explode(, TABLE(f( or LATERAL with a call or a query follows."""
        words = self._words(5)
        is_lateral = words[:1] == ["LATERAL"] and self._curr.token_type == TokenType.VAR
        if is_lateral and words[1:2] == ["("]:
            return True
        call = words[1:] if is_lateral else words
        is_wrapped = call[:2] == ["TABLE", "("]
        call = call[2:] if is_wrapped else call
        if call[1:2] != ["("] or call[0].lower() in WINDOW_FUNCTIONS:
            return False
        return is_lateral or is_wrapped or call[0].lower() in BUILT_IN

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
        elif self._match_text_seq("TABLE"):
            self._expect(TokenType.L_PAREN, "(")
            call = self._parse_table_function()
            self._expect(TokenType.R_PAREN, ")")
            item = self._with_ordinality(call)
        else:
            item = self._parse_table_function()
        item.set("alias", self._parse_table_alias())
        return item

    def _parse_table_function(self) -> Unnested:
        first = self._curr
        self._advance()
        is_ours = first.text.lower() in BUILT_IN
        if not is_ours and first.token_type != TokenType.VAR:
            self.refuse(errors.unexpected(self.span(first), "UNNEST, explode or a table function"))
        self._expect(TokenType.L_PAREN, "(")
        closes = self._match(TokenType.R_PAREN, advance=False)
        arrays = [] if closes else self._parse_csv(self._parse_disjunction)
        self._expect(TokenType.R_PAREN, ")")
        call = Unnested(function=first.text.lower() if is_ours else first.text, expressions=arrays)
        return self._mark(self._with_ordinality(call), first)

    def _with_ordinality(self, call: Unnested) -> Unnested:
        if self._match_text_seq("WITH", "ORDINALITY"):
            call.set("ordinality", True)
        return call

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
