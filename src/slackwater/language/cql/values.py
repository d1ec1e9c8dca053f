"""Parsing VALUES: a query of rows, in FROM also without parentheses."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.grouping import GroupingParser
from slackwater.language.cql.nodes import ValueRows


class ValuesParser(GroupingParser):
    """The part of the parser for VALUES."""

    def _at_values(self) -> bool:
        return self._curr.token_type == TokenType.VALUES

    def _parse_values(self) -> ValueRows:
        """VALUES and its rows; a row of one value needs no parentheses."""
        first = self._curr
        self._advance()
        return self._mark(ValueRows(expressions=self._parse_csv(self._parse_value_row)), first)

    def _parse_value_row(self) -> exp.Tuple:
        first = self._curr
        if self._words(2) == ["ROW", "("]:  # as Flink and MySQL write it
            self._advance()
        row = self._parse_value()
        if row is None or not row.expressions:
            self.refuse(errors.unexpected(self.span(self._curr if row is None else self._prev), "a value"))
        return self._mark(row, first)

    def _parse_values_in_from(self, parenthesized: bool) -> exp.Expr:
        """VALUES as a source: with its alias it is a query in parentheses."""
        rows = self._parse_values()
        alias = self._parse_table_alias()
        return rows if parenthesized and alias is None else exp.Subquery(this=rows, alias=alias)

    def _parse_derived_table_values(self, allow_value_synonym: bool = False) -> Any:
        # sqlglot's node of VALUES is a table; here it is a query like any other.
        return None
