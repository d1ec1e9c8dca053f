"""Parsing as-of joins.

orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency
trades AS a ASOF [LEFT] JOIN quotes AS b MATCH_CONDITION (a.ts >= b.ts) ON a.symbol = b.symbol
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import SYSTEM_TIME
from slackwater.language.cql.windowing import WindowTableParser

ASOF, MATCH_CONDITION = "ASOF", "MATCH_CONDITION"
_FORMS = (
    ["ASOF", "JOIN"],
    ["ASOF", "LEFT", "JOIN"],
    ["ASOF", "LEFT", "OUTER", "JOIN"],
    ["ASOF", "INNER", "JOIN"],
    ["LEFT", "ASOF", "JOIN"],
    ["LEFT", "OUTER", "ASOF", "JOIN"],
    ["INNER", "ASOF", "JOIN"],
)

_AFTER = ("JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "SEMI", "ANTI", "NATURAL")


class AsOfParser(WindowTableParser):
    """The part of the parser for FOR SYSTEM_TIME AS OF and ASOF joins."""

    def _words_of_asof(self) -> list[Token]:
        """The words up to JOIN of an ASOF join that follows; none if another thing does."""
        words = self._tokens[self._index : self._index + 4]
        texts = [token.text.upper() for token in words]
        return next((words[: len(form)] for form in _FORMS if texts[: len(form)] == form), [])

    def _at_clause_of_source(self) -> bool:
        is_match = self._curr.text.upper() == MATCH_CONDITION and self._next.token_type == TokenType.L_PAREN
        return super()._at_clause_of_source() or is_match or self._at_asof()

    def _at_asof(self) -> bool:
        """Whether the word ASOF follows, and then those of a join: it is no alias there."""
        is_word = self._curr.token_type == TokenType.VAR and self._curr.text.upper() == ASOF
        return is_word and self._next.text.upper() in _AFTER

    def _parse_asof(self, alias_tokens: Collection[TokenType] | None) -> exp.Join | None:
        """An ASOF join, if one follows."""
        words = self._words_of_asof()
        if not words and self._at_asof():
            self.refuse(errors.unexpected(self.span(self._next), "ASOF JOIN or ASOF LEFT JOIN"))
        if not words:
            return None
        self._advance(len(words))
        side = "LEFT" if any(word.token_type == TokenType.LEFT for word in words) else None
        join = exp.Join(this=self._parse_table(alias_tokens=alias_tokens), method=ASOF, side=side)
        if self._match_text_seq(MATCH_CONDITION):
            self._expect(TokenType.L_PAREN, "(")
            first = self._curr
            condition = self._parse_disjunction()
            if condition is None:
                self.refuse(errors.unexpected(self.span(self._curr), "a comparison of two times"))
            join.set("match_condition", self._mark(condition, first))
            self._expect(TokenType.R_PAREN, ")")
        if self._match(TokenType.ON):
            join.set("on", self._parse_disjunction())
        elif self._match(TokenType.USING):
            join.set("using", self._parse_using_identifiers())
        is_missing = self._prev.token_type in (TokenType.ON, TokenType.USING)
        if is_missing or not any(join.args.get(key) for key in ("match_condition", "on", "using")):
            hint = "Write MATCH_CONDITION (a.ts >= b.ts), or ON a.k = b.k AND a.ts >= b.ts."
            self.refuse(errors.unexpected(self.span(self._curr), "a condition", hint))
        return self._mark(self.expression(join), words[0])

    def _parse_version(self) -> exp.Version | None:
        first = self._curr
        if not self._match_text_seq("FOR", SYSTEM_TIME, "AS", "OF"):
            return super()._parse_version()
        time = self._parse_bitwise()
        if time is None:
            self.refuse(errors.unexpected(self.span(self._curr), "the time of a row"))
        return self._mark(exp.Version(this=SYSTEM_TIME, kind="AS OF", expression=time), first)
