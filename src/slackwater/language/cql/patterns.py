"""Parsing MATCH_RECOGNIZE.

trades MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES A.price AS top ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+) WITHIN 1 HOUR DEFINE B AS B.price < PREV(B.price)) AS m
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.asof import AsOfParser
from slackwater.language.cql.nodes import Length, Recognized

_WORD = "MATCH_RECOGNIZE"
_AFTER_MEASURES = ("ONE", "ALL", "AFTER", "PATTERN")


class PatternParser(AsOfParser):
    """The part of the parser for row patterns."""

    def _at_pattern(self) -> bool:
        return self._words(2) == [_WORD, "("] and self._curr.token_type == TokenType.VAR

    def _at_clause_of_source(self) -> bool:
        return super()._at_clause_of_source() or self._at_pattern()

    def _with_pattern(self, source: exp.Expr | None) -> exp.Expr | None:
        """The source with the MATCH_RECOGNIZE that follows it."""
        if source is None or not self._at_pattern():
            return source
        first = self._curr
        self._advance(2)
        node = Recognized(this=source)
        if self._match(TokenType.PARTITION_BY):
            node.set("partition_by", self._parse_csv(self._parse_partition_column))
        if self._match(TokenType.ORDER_BY):
            node.set("order", self._parse_csv(self._parse_ordered))
        if self._match_text_seq("MEASURES"):
            node.set("measures", self._parse_csv(self._parse_measure))
        self._parse_rows_per_match()
        if self._match_text_seq("AFTER"):
            self._parse_skip(node)
        if not self._match_text_seq("PATTERN"):
            self.refuse(errors.unexpected(self.span(self._curr), "PATTERN"))
        node.set("pattern", self._parse_pattern_text())
        if self._match_text_seq("WITHIN"):
            node.set("within", self._parse_within())
        if self._match_text_seq("DEFINE"):
            node.set("define", self._parse_csv(self._parse_definition))
        self._expect(TokenType.R_PAREN, ")")
        self._mark(node, first)
        node.set("alias", self._parse_table_alias())
        return node

    def _parse_measure(self) -> exp.Expr | None:
        """A measure and its name; the words of the next clause are no name."""
        measure = self._parse_disjunction()
        return measure if self._curr.text.upper() in _AFTER_MEASURES else self._parse_alias(measure)

    def _parse_within(self) -> Length:
        """A length of time; one in chronons may stand before DEFINE."""
        first = self._curr
        if parameter := self._parse_named_parameter(positive=True):
            unit = None if self._curr.text.upper() in ("DEFINE", ")") else self._parse_unit()
            return self._mark(Length(amount=parameter, unit=unit), first)
        if first.token_type == TokenType.NUMBER and self._next.text.upper() == "DEFINE":
            self._advance()
            return self._mark(Length(amount=first.text), first)
        return self._parse_length(positive=True, in_brackets=False)

    def _parse_rows_per_match(self) -> None:
        first = self._curr
        if self._match_text_seq("ALL", "ROWS", "PER", "MATCH"):
            hint = "Write ONE ROW PER MATCH, and values of rows as measures: FIRST(A.x), LAST(A.x)."
            self.refuse(errors.not_ours(self.since(first), "not part of CQL", hint))
        if self._match_text_seq("ONE") and not self._match_text_seq("ROW", "PER", "MATCH"):
            self.refuse(errors.unexpected(self.span(self._curr), "ROW PER MATCH"))

    def _parse_skip(self, node: Recognized) -> None:
        if not self._match_text_seq("MATCH", "SKIP"):
            self.refuse(errors.unexpected(self.span(self._curr), "MATCH SKIP"))
        if self._match_text_seq("PAST", "LAST", "ROW"):
            return
        if self._match_text_seq("TO", "NEXT", "ROW"):
            node.set("skip", "to next row")
            return
        if not self._match_text_seq("TO"):
            self.refuse(errors.unexpected(self.span(self._curr), "PAST LAST ROW, or TO and a variable"))
        node.set("skip", "to first" if self._match_text_seq("FIRST") else "to last")
        self._match_text_seq("LAST")
        target = self._parse_id_var(any_token=False)
        if target is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a variable of the pattern"))
        node.set("target", target)

    def _parse_pattern_text(self) -> exp.Var:
        """The text in the parentheses after PATTERN; binding reads it."""
        self._expect(TokenType.L_PAREN, "(")
        first, depth = self._curr, 1
        while True:
            if not self._curr:
                self.refuse(errors.unexpected(self.span(self._curr), '")"'))
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(self._curr.token_type, 0)
            if not depth:
                break
            self._advance()
        if self._curr is first:
            self.refuse(errors.unexpected(self.span(self._curr), "a pattern"))
        text = self.text.content[first.start : self._prev.end + 1]
        pattern = self._mark(exp.Var(this=text), first)
        self._advance()
        return pattern

    def _parse_definition(self) -> exp.Alias | None:
        first = self._curr
        name = self._parse_id_var(any_token=False)
        if name is None:
            return None
        if not self._match(TokenType.ALIAS):
            self.refuse(errors.unexpected(self.span(self._curr), "AS and a condition"))
        return self._mark(exp.Alias(this=self._parse_disjunction(), alias=name), first)
