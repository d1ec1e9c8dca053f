"""Parsing best-match joins.      thesis 4.2.2.2, 4.2.3

T CONSTRAINED LEFT OUTER BESTMATCH JOIN H
  ON (ABS(T.t - H.t)) MIN 10, (T.tags, H.tags) subset AND T.city = H.city KEEP UNMATCHED
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.base.time import unit_named
from slackwater.language.cql import errors
from slackwater.language.cql.nodes import BestMatchOn, Dimension
from slackwater.language.cql.synchronization import SynchronizationParser

BEST_MATCH = "BESTMATCH"
"""The kind of a join."""
_FIRST_WORDS = ("CONSTRAINED", BEST_MATCH, "BEST")
"""The words that begin a best-match join and are no alias before it."""
_BEFORE = {"CONSTRAINED", "LEFT", "RIGHT", "FULL", "OUTER"}
_SIDES = (TokenType.LEFT, TokenType.RIGHT, TokenType.FULL)
_BOUND_STARTS = (
    TokenType.NUMBER, TokenType.DOT, TokenType.DASH, TokenType.STRING, TokenType.INTERVAL, TokenType.NULL,
    TokenType.TRUE, TokenType.FALSE,
)  # fmt: skip
MIN, MAX = "MIN", "MAX"
_DIMENSION = "Write a dimension in parentheses, then MIN, MAX or an order: (ABS(r.x - s.x)) MIN."
_QUERY_STARTS = (TokenType.SELECT, TokenType.WITH)


class BestMatchParser(SynchronizationParser):
    """The part of the parser for best-match joins."""

    def _words_of_best_match(self) -> list[Token]:
        """The words up to JOIN of a best-match join that follows; none if another thing does."""
        words = self._tokens[self._index : self._index + 6]
        texts = [token.text.upper() for token in words]
        self._refuse_other_spelling(words, texts)
        if BEST_MATCH not in texts or texts[texts.index(BEST_MATCH) + 1 :][:1] != ["JOIN"]:
            return []
        before = texts.index(BEST_MATCH)
        return words[: before + 2] if set(texts[:before]) <= _BEFORE else []

    def _refuse_other_spelling(self, words: list[Token], texts: list[str]) -> None:
        """Refuse BEST MATCH JOIN in two words, and LEFT OUTER BESTMATCH without JOIN."""
        first = next((at for at, text in enumerate(texts) if text not in _BEFORE), len(texts))
        if texts[first : first + 3] == ["BEST", "MATCH", "JOIN"]:
            hint = "Write it as one word: BESTMATCH JOIN."
            self.refuse(errors.unexpected(self.span(words[first]), "BESTMATCH JOIN", hint))
        after = texts[first + 1 : first + 2]
        if first and texts[first : first + 1] == [BEST_MATCH] and after not in ([], ["JOIN"]):
            hint = "Write JOIN after BESTMATCH: LEFT OUTER BESTMATCH JOIN."
            self.refuse(errors.unexpected(self.span(words[first + 1]), "JOIN", hint))

    def _at_clause_of_source(self) -> bool:
        is_word = self._curr.token_type == TokenType.VAR and self._curr.text.upper() in _FIRST_WORDS
        return super()._at_clause_of_source() or (is_word and bool(self._words_of_best_match()))

    def _parse_best_match(self, alias_tokens: Collection[TokenType] | None) -> exp.Join | None:
        """A best-match join, if one follows."""
        words = self._words_of_best_match()
        if not words:
            return None
        method = "CONSTRAINED" if self._match_text_seq("CONSTRAINED") else None
        side = self._prev.text.upper() if self._match_set(_SIDES) else None
        if side:
            self._match(TokenType.OUTER)
        if not self._match_text_seq(BEST_MATCH) or not self._match(TokenType.JOIN):
            self.refuse(errors.unexpected(self.span(self._curr), "BESTMATCH JOIN"))
        right = self._parse_table(alias_tokens=alias_tokens)
        if not self._match(TokenType.ON):
            self.refuse(errors.unexpected(self.span(self._curr), "ON and the dimensions to compare"))
        on = self._parse_dimensions()
        join = exp.Join(this=right, on=on, method=method, side=side, kind=BEST_MATCH)
        return self._mark(self.expression(join), words[0])

    def _parse_dimensions(self) -> BestMatchOn:
        first = self._curr
        dimensions = [self._parse_dimension()]
        while self._match(TokenType.COMMA, advance=False) and self._is_dimension_next():
            self._advance()
            dimensions.append(self._parse_dimension())
        if self._match(TokenType.L_PAREN, advance=False):
            hint = "Write a comma between two dimensions."
            self.refuse(errors.unexpected(self.span(self._curr), "a comma", hint))
        condition = self._parse_disjunction() if self._match(TokenType.AND) else None
        if condition is None and self._prev.token_type == TokenType.AND:
            self.refuse(errors.unexpected(self.span(self._curr), "a condition"))
        keep = self._match_text_seq("KEEP", "UNMATCHED")
        return self._mark(BestMatchOn(expressions=dimensions, condition=condition, keep=keep), first)

    def _is_dimension_next(self) -> bool:
        """Whether a dimension follows the comma, and not another source of FROM."""
        following = self._tokens[self._index + 1 : self._index + 5]
        tokens = [token.token_type for token in following]
        texts = [token.text.upper() for token in following]
        if texts[:1] in ([MIN], [MAX]) or (texts[1:2] == ["."] and texts[3:4] in ([MIN], [MAX])):
            self.refuse(errors.unexpected(self.span(following[0]), "a dimension", _DIMENSION))
        if texts[:2] == ["ABS", "("]:
            self.refuse(errors.unexpected(self.span(following[0]), "a dimension", _DIMENSION))
        return tokens[:1] == [TokenType.L_PAREN] and tokens[1:2] != [] and tokens[1] not in _QUERY_STARTS

    def _parse_dimension(self) -> Dimension:
        first = self._curr
        if not self._match(TokenType.L_PAREN):
            self.refuse(errors.unexpected(self.span(first), "a dimension", _DIMENSION))
        values = self._parse_csv(self._parse_disjunction)
        self._expect(TokenType.R_PAREN, ")")
        order = self._parse_id_var(any_token=False)
        if order is None or not values:
            self.refuse(errors.unexpected(self.span(self._curr), "MIN, MAX or an order", _DIMENSION))
        return self._mark(Dimension(expressions=values, order=order, bound=self._parse_bound()), first)

    def _parse_bound(self) -> exp.Expr | None:
        """A constant; a number with a unit is a length of time: 10 MINUTES."""
        first = self._curr
        if first.token_type not in _BOUND_STARTS:
            return None
        is_length = first.token_type == TokenType.NUMBER and self._next.token_type == TokenType.VAR
        unit = unit_named(self._next.text) if is_length else None
        if unit is not None:
            self._advance(2)
            interval = exp.Interval(this=exp.Literal.string(first.text), unit=exp.Var(this=unit.upper()))
            return self._mark(interval, first)
        bound = self._parse_unary()
        return self._mark(bound, first) if bound is not None else None
