"""Parsing windows as table functions, as Flink and RisingWave write them.

TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND)) AS w
TUMBLE(DATA => TABLE bid, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' SECOND)
SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(ts), INTERVAL '10' SECOND)
HOP(bid, ts, INTERVAL '2' SECOND, INTERVAL '10' SECOND)
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.lateral import LateralParser
from slackwater.language.cql.nodes import WINDOW_FUNCTIONS, WindowTable

_KEYS = {"data": "this", "timecol": "time", "slide": "step"}
"""The arguments of nodes, where they have other names than in a call."""


class WindowTableParser(LateralParser):
    """The part of the parser for TUMBLE, HOP, CUMULATE and SESSION in FROM."""

    def _at_window_table(self) -> bool:
        words = self._tokens[self._index : self._index + 4]
        if [token.text.upper() for token in words[:2]] == ["TABLE", "("]:
            words = words[2:]
        return (
            len(words) > 1
            and words[0].token_type == TokenType.VAR
            and words[0].text.lower() in WINDOW_FUNCTIONS
            and words[1].token_type == TokenType.L_PAREN
        )

    def _parse_window_table(self, alias_tokens: Collection[TokenType] | None) -> exp.Expr | None:
        first = self._curr
        is_wrapped = self._match_text_seq("TABLE") and self._match(TokenType.L_PAREN)
        kind = self._curr.text.lower()
        self._advance(2)
        table = WindowTable(kind=kind)
        self._parse_window_arguments(table)
        self._expect(TokenType.R_PAREN, ")")
        if is_wrapped:
            self._expect(TokenType.R_PAREN, ")")
        self._mark(table, first)
        if alias := self._parse_table_alias(alias_tokens or self.TABLE_ALIAS_TOKENS):
            table.set("alias", alias)
        return self._with_synchronization(table, alias_tokens)

    def _parse_window_arguments(self, table: WindowTable) -> None:
        names = WINDOW_FUNCTIONS[table.kind]
        parts: dict[str, Callable[[WindowTable], None]] = {
            "data": self._parse_data,
            "timecol": self._parse_time_column,
        }
        for place in range(len(names)):
            first = self._curr
            name = self._parse_argument_name(names) or names[place]
            key = _KEYS.get(name, name)
            if table.args.get(key):
                self.refuse(errors.repeated_clause(self.since(first), name.upper()))
            if name in parts:
                parts[name](table)
            else:
                table.set(key, self._parse_window_length())
            if not self._match(TokenType.COMMA):
                break
        missing = [name for name in names if name != "offset" and not table.args.get(_KEYS.get(name, name))]
        if missing:
            hint = f"Write {table.form}."
            self.refuse(
                errors.unexpected(self.span(self._curr), f"the {missing[0].upper()} of windows", hint)
            )

    def _parse_argument_name(self, names: Collection[str]) -> str | None:
        """The name before `=>`, if one follows."""
        arrow = [token.token_type for token in self._tokens[self._index + 1 : self._index + 3]]
        if arrow != [TokenType.EQ, TokenType.GT]:
            return None
        if self._curr.text.lower() not in names:
            known = ", ".join(name.upper() for name in names)
            self.refuse(errors.unexpected(self.span(self._curr), f"one of {known}"))
        name = self._curr.text.lower()
        self._advance(3)
        return name

    def _parse_data(self, table: WindowTable) -> None:
        """The rows: TABLE name, a name, or a query; of sessions with the columns of their key."""
        if self._curr.text.upper() == "TABLE" and self._next.token_type != TokenType.COMMA:
            self._advance()
        source = self._parse_table()
        if source is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a stream, a relation or a query"))
        table.set("this", source)
        if table.kind == "session" and self._match(TokenType.PARTITION_BY):
            table.set("partition_by", self._parse_session_key())

    def _parse_session_key(self) -> list[exp.Column]:
        """Columns in parentheses; without them, those up to DESCRIPTOR or a name with `=>`, or one."""
        if self._match(TokenType.L_PAREN):
            columns = self._parse_csv(self._parse_partition_column)
            self._expect(TokenType.R_PAREN, ")")
            return columns
        columns = [self._parse_partition_column()]
        while self._has_more_keys():
            self._expect(TokenType.COMMA, ",")
            columns.append(self._parse_partition_column())
        return columns

    def _has_more_keys(self) -> bool:
        """Whether another column follows the comma, and DESCRIPTOR or a name with `=>` after it."""
        rest: list[str] = []
        depth = 0
        for token in self._tokens[self._index + 1 :]:
            depth += (token.text == "(") - (token.text == ")")
            if depth < 0:
                break
            rest.append(token.text.upper())
        ends = "DESCRIPTOR" in rest[1:] or any(pair == ("=", ">") for pair in pairwise(rest[2:]))
        return ends and rest[:1] != ["DESCRIPTOR"] and rest[1:3] != ["=", ">"]

    def _parse_column_ops(self, this: exp.Expr | None) -> exp.Expr | None:
        if self._curr.token_type == TokenType.DOT and self._next.text.upper() == "END":
            # Spark's window.end: after a dot END is a name.
            self._next.token_type = TokenType.VAR
        return super()._parse_column_ops(this)

    def _parse_time_column(self, table: WindowTable) -> None:
        is_descriptor = self._curr.text.upper() == "DESCRIPTOR" and self._next.token_type == TokenType.L_PAREN
        if is_descriptor:
            self._advance(2)
            table.set("descriptor", True)
        first = self._curr
        table.set("time", self._mark(self._parse_partition_column(), first))
        if is_descriptor:
            self._expect(TokenType.R_PAREN, ")")

    def _parse_window_length(self) -> exp.Expr:
        first = self._curr
        length = self._parse_bitwise()
        if length is None:
            hint = "Write it as an interval: INTERVAL '10' SECOND."
            self.refuse(errors.unexpected(self.span(first), "a length of time", hint))
        return self._mark(length, first)
