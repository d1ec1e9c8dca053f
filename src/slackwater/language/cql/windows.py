"""Parsing windows and lengths of time, and the shared base of the parser.

[Range 5 Minutes Slide 1 Minute]    [Partition By a, b Rows 50,000 Range 1 Hour]
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Never, TypeVar

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.base.time import length_in, unit_named
from slackwater.language.cql import errors
from slackwater.language.cql.nodes import Length, NamedParameter, StreamWindow
from slackwater.language.cql.words import is_name

E = TypeVar("E", bound=exp.Expr)

# Too long a duration is reported by binding, which knows the clock; Python does not parse very long numbers.
_NUMBER = re.compile(r"(\d{0,400})(?:\.(\d{0,18}))?")
_NOT_UNITS_BUT_CLAUSES = {"AT", "SYNC"}
_NOT_UNITS = {"SLIDE", "RANGE", "ROWS", "PRECEDING"}
_STEPS_PER_TOKEN = 400


class Refused(ParseError):
    """A parse error with its diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class WindowParser(Parser):
    """The part of the parser for windows."""

    text = Text("<query>", "")
    _steps = 0

    def span(self, first: Token, last: Token | None = None) -> Span:
        """From the first token to the last; at the end of input without a first one."""
        if not first:
            end = self._tokens[-1].end + 1 if self._tokens else 0
            return self.text.span(end, end)
        return self.text.span(first.start, (last or first).end + 1)

    def since(self, first: Token) -> Span:
        """From `first` to the last consumed token."""
        return self.span(first, max(first, self._prev, key=lambda token: token.end))

    def refuse(self, diagnostic: Diagnostic) -> Never:
        raise Refused(diagnostic)

    def reset(self) -> None:
        super().reset()
        self._steps = 0

    def _advance(self, times: int = 1) -> None:
        # sqlglot backtracks; the time of nested attempts would double with each level.
        self._steps += 1
        if self._steps > _STEPS_PER_TOKEN * (self._tokens_size + 25):
            raise RecursionError("too many attempts")
        super()._advance(times)

    def _mark(self, node: E, first: Token, last: Token | None = None) -> E:
        """Record the position of a node: from `first` to the last consumed token."""
        last = last or self._prev
        return node.update_positions(
            line=first.line, col=first.col, start=first.start, end=max(first.end, last.end)
        )

    def _expect(self, token_type: TokenType, sign: str) -> None:
        if not self._match(token_type):
            self.refuse(errors.unexpected(self.span(self._curr), f'"{sign}"'))

    def _parse_stream_window(self) -> StreamWindow | None:
        """A window in brackets, if one follows."""
        first = self._curr
        if not self._match(TokenType.L_BRACKET):
            return None
        window = self._parse_window_body()
        if not self._match(TokenType.R_BRACKET):
            self.refuse(errors.not_closed_here(self.span(self._curr), window.kind))
        return self._mark(window, first)

    def _parse_window_body(self) -> StreamWindow:
        columns = None
        if self._match(TokenType.PARTITION_BY):
            columns = self._parse_csv(self._parse_partition_column)
        if self._match_text_seq("ROWS"):
            return self._parse_rows(columns)
        if self._match_text_seq("RANGE"):
            size = None if self._match_text_seq("UNBOUNDED") else self._parse_length()
            self._match_text_seq("PRECEDING")
            slide = self._parse_length(positive=True) if self._match_text_seq("SLIDE") else None
            return StreamWindow(kind="range", size=size, slide=slide, partition_by=columns)
        if self._match_text_seq("SESSION"):
            return StreamWindow(kind="session", size=self._parse_length(), partition_by=columns)
        if columns:
            self.refuse(errors.unexpected(self.span(self._curr), "ROWS or SESSION"))
        if self._match_text_seq("NOW"):
            return StreamWindow(kind="now")
        if self._match_text_seq("UNBOUNDED"):
            self._match_text_seq("PRECEDING")
            return StreamWindow(kind="range")
        if self._match_texts(("SLIDING", "FIXED")):
            kind = self._prev.text.lower()
            return StreamWindow(kind=kind, size=self._parse_length(positive=True))
        return self.refuse(errors.not_a_window(self.span(self._curr), self._curr.text))

    def _parse_rows(self, columns: list[exp.Column] | None) -> StreamWindow:
        size = None if self._match_text_seq("UNBOUNDED") else self._parse_count()
        self._match_text_seq("PRECEDING")
        within = self._parse_length() if self._match_text_seq("RANGE") else None
        self._match_text_seq("PRECEDING")
        slide = self._parse_count() if self._match_text_seq("SLIDE") else None
        return StreamWindow(kind="rows", size=size, slide=slide, partition_by=columns, within=within)

    def _parse_partition_column(self) -> exp.Column:
        first = self._curr
        parts = [self._parse_partition_name()]
        while self._match(TokenType.DOT):
            parts.append(self._parse_partition_name())
        if len(parts) > 2:
            self.refuse(errors.misplaced(self.since(first), "a name of three parts"))
        return exp.Column(**dict(zip(("this", "table"), reversed(parts), strict=False)))

    def _parse_partition_name(self) -> exp.Expr:
        name = self._parse_id_var(any_token=False)
        return name or self.refuse(errors.unexpected(self.span(self._curr), "a column"))

    def _parse_named_parameter(self, positive: bool = False) -> NamedParameter | None:
        """:name, if that follows."""
        first = self._curr
        if not self._match(TokenType.COLON):
            return None
        name = self._curr
        if not name or name.start != first.end + 1 or not is_name(name.text):
            self.refuse(errors.unexpected(self.span(first), "the name of a parameter", "Write :name."))
        self._advance()
        return self._mark(NamedParameter(this=name.text, positive=positive), first)

    def _parse_count(self) -> exp.Expr:
        first = self._curr
        if parameter := self._parse_named_parameter(positive=True):
            return parameter
        sign = self._match(TokenType.DASH)
        number = self._parse_plain_number()
        if number is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a number of rows"))
        if sign or not number.isdigit() or int(number) == 0:
            self.refuse(errors.bad_count(self.since(first)))
        return self._mark(exp.Literal(this=str(int(number)), is_string=False), first)

    def _parse_length(self, positive: bool = False, in_brackets: bool = True) -> Length:
        """A number and optionally a unit; also SQL's INTERVAL '5' MINUTE and '5 minutes'.

        Outside brackets another clause may follow.
        """
        first = self._curr
        self._match(TokenType.INTERVAL)
        if parameter := self._parse_named_parameter(positive):
            unit = self._parse_unit() if in_brackets or self._is_word() else None
            return self._mark(Length(amount=parameter, unit=unit), first)
        sign, number, unit = self._parse_quoted_length() or self._parse_bare_length()
        if number is None:
            hint = "Write a number and a unit: 5 MINUTES."
            self.refuse(errors.unexpected(self.span(self._curr), "a length of time", hint))
        if sign:
            self.refuse(errors.negative_length(self.since(first)))
        if positive and Fraction(number) == 0:
            self.refuse(errors.zero_length(self.since(first)))
        if unit is None and (in_brackets or self._is_word()):
            unit = self._parse_unit(None if in_brackets else "Write an alias after AS.")
        return self._mark(Length(amount=number, unit=unit), first)

    def _is_word(self) -> bool:
        """Whether a word follows that begins no other clause."""
        return (
            self._curr.token_type == TokenType.VAR and self._curr.text.upper() not in _NOT_UNITS_BUT_CLAUSES
        )

    def _parse_bare_length(self) -> tuple[bool, str | None, str | None]:
        return self._match(TokenType.DASH), self._parse_plain_number(), None

    def _parse_quoted_length(self) -> tuple[bool, str | None, str | None] | None:
        if not self._match(TokenType.STRING):
            return None
        length = length_in(self._prev.text)
        number = length and canonical(length.amount)
        if not length or not number:
            self.refuse(errors.not_a_length(self.span(self._prev)))
        if length.word and length.unit is None:
            self.refuse(errors.unknown_unit(self.span(self._prev)))
        return length.is_negative, number, length.unit

    def _parse_unit(self, hint: str | None = None) -> str | None:
        word = self._curr.text
        if (
            not self._curr
            or self._curr.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
            or not word.isidentifier()
            or word.upper() in _NOT_UNITS
        ):
            return None
        unit = unit_named(word)
        if unit is None:
            self.refuse(errors.unknown_unit(self.span(self._curr), hint))
        self._advance()
        return unit

    def _parse_plain_number(self) -> str | None:
        """A number without sign or exponent; the paper writes thousands as 50,000."""
        first = self._curr
        if self._match_pair(TokenType.DOT, TokenType.NUMBER):
            digits = f"0.{self._prev.text}"
        elif self._match(TokenType.NUMBER):
            digits = self._prev.text
            while self._match_pair(TokenType.COMMA, TokenType.NUMBER, advance=False) and _is_thousands(
                self._next.text
            ):
                self._advance(2)
                digits += self._prev.text
        else:
            return None
        return canonical(digits) or self.refuse(errors.not_a_length(self.since(first)))


def _is_thousands(digits: str) -> bool:
    return len(digits) == 3 and digits.isdigit()


def canonical(digits: str) -> str | None:
    """`5`, `0.5`; None if it is not a number."""
    match = _NUMBER.fullmatch(digits)
    if not match or not (match[1] or match[2]):
        return None
    whole = match[1] or "0"
    return f"{whole}.{match[2]}" if match[2] else whole
