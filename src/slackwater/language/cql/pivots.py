"""Parsing PIVOT and UNPIVOT, behind a source as in Spark, and as statements as in DuckDB.

sales PIVOT (SUM(amount) AS total FOR quarter IN (1 AS q1, 2 AS q2)) AS p
sales UNPIVOT INCLUDE NULLS (amount FOR quarter IN (q1, q2 AS 'second')) AS u
PIVOT sales ON quarter IN (1, 2) USING SUM(amount) GROUP BY region      UNPIVOT sales ON q1, q2
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import Pivoted, Unpivoted
from slackwater.language.cql.values import ValuesParser

_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)


class PivotParser(ValuesParser):
    """The part of the parser for PIVOT and UNPIVOT."""

    def _at_pivot(self) -> bool:
        """Whether PIVOT (, UNPIVOT ( or UNPIVOT INCLUDE NULLS follow a source."""
        words = self._words(2)
        is_word = self._curr.token_type == TokenType.VAR and words[0] in ("PIVOT", "UNPIVOT")
        return is_word and words[1:] in (["("], ["INCLUDE"], ["EXCLUDE"])

    def _begins_pivot_query(self) -> bool:
        """Whether `PIVOT source ON` or `UNPIVOT source ON` begins a query."""
        if self._curr.token_type != TokenType.VAR or self._curr.text.upper() not in ("PIVOT", "UNPIVOT"):
            return False
        return self._next.token_type in (*_NAMES, TokenType.L_PAREN)

    def _at_clause_of_source(self) -> bool:
        return super()._at_clause_of_source() or self._at_pivot()

    def _with_pivots(self, source: exp.Expr | None) -> exp.Expr | None:
        """The source with each PIVOT and UNPIVOT that follows it."""
        while source is not None and self._at_pivot():
            first = self._curr
            self._advance()
            is_pivot = first.text.upper() == "PIVOT"
            source = self._parse_pivoted(source) if is_pivot else self._parse_unpivoted(source)
            self._mark(source, first)
            source.set("alias", self._parse_table_alias())
        return source

    def _parse_pivoted(self, source: exp.Expr) -> Pivoted:
        self._expect(TokenType.L_PAREN, "(")
        aggregates = self._parse_csv(self._parse_aggregate)
        self._expect(TokenType.FOR, "FOR")
        fields = [self._parse_pivot_field()]
        while not self._match(TokenType.R_PAREN, advance=False) and not self._at_group():
            fields.append(self._parse_pivot_field())
        keys = self._parse_pivot_keys()
        self._expect(TokenType.R_PAREN, ")")
        return Pivoted(this=source, expressions=aggregates, fields=fields, keys=keys)

    def _at_group(self) -> bool:
        return self._curr.token_type == TokenType.GROUP_BY

    def _parse_aggregate(self) -> exp.Expr | None:
        return self._parse_alias(self._parse_disjunction())

    def _parse_pivot_keys(self) -> list[exp.Expr]:
        return self._parse_csv(self._parse_disjunction) if self._match(TokenType.GROUP_BY) else []

    def _parse_pivot_field(self) -> exp.In:
        """A column, or several in parentheses, and the values that become columns."""
        first = self._curr
        field = self._parse_columns_in_parentheses() or self._parse_column()
        if field is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a column"))
        last = self._prev
        if not self._match(TokenType.IN):
            self.refuse(errors.pivot_without_list(self.span(first, last)))
        self._expect(TokenType.L_PAREN, "(")
        if self._curr.token_type in (TokenType.SELECT, TokenType.WITH, TokenType.ANY):
            self.refuse(errors.pivot_without_list(self.span(first, self._curr)))
        values = self._parse_csv(self._parse_pivot_value)
        self._expect(TokenType.R_PAREN, ")")
        return self._mark(exp.In(this=field, expressions=values), first)

    def _parse_columns_in_parentheses(self) -> exp.Tuple | None:
        first = self._curr
        if not self._match(TokenType.L_PAREN):
            return None
        columns = self._parse_csv(self._parse_column)
        self._expect(TokenType.R_PAREN, ")")
        return self._mark(exp.Tuple(expressions=columns), first)

    def _parse_pivot_value(self) -> exp.Expr | None:
        """A value, a tuple of values or a column, and the name that follows it, also as a text."""
        first = self._curr
        value = self._parse_disjunction()
        has_as = self._match(TokenType.ALIAS)
        if has_as and self._match(TokenType.STRING):
            name: exp.Expr | None = exp.to_identifier(self._prev.text, quoted=True)
        else:
            name = self._parse_id_var(any_token=False)
        if has_as and name is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a name"))
        return value if name is None else self._mark(exp.Alias(this=value, alias=name), first)

    def _parse_unpivoted(self, source: exp.Expr) -> Unpivoted:
        nulls = bool(self._match_text_seq("INCLUDE", "NULLS"))
        self._match_text_seq("EXCLUDE", "NULLS")
        self._expect(TokenType.L_PAREN, "(")
        is_wide = self._match(TokenType.L_PAREN, advance=False)
        values = self._parse_names() if is_wide else [self._parse_new_name("a column")]
        self._expect(TokenType.FOR, "FOR")
        name = self._parse_new_name("a column")
        self._expect(TokenType.IN, "IN")
        self._expect(TokenType.L_PAREN, "(")
        columns = self._parse_csv(self._parse_pivot_value)
        self._expect(TokenType.R_PAREN, ")")
        self._expect(TokenType.R_PAREN, ")")
        return Unpivoted(this=source, values=values, name=name, expressions=columns, nulls=nulls)

    def _parse_pivot_query(self) -> exp.Expr:
        """PIVOT source ON …, UNPIVOT source ON …: all columns of the source that it makes."""
        first = self._curr
        self._advance()
        source = self._parse_table()
        if source is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a stream or a relation"))
        self._expect(TokenType.ON, "ON")
        is_pivot = first.text.upper() == "PIVOT"
        item = self._parse_pivot_on(source) if is_pivot else self._parse_unpivot_on(source)
        self._mark(item, first)
        return self._mark(exp.Select(expressions=[exp.Star()], from_=exp.From(this=item)), first)

    def _parse_pivot_on(self, source: exp.Expr) -> Pivoted:
        fields = self._parse_csv(self._parse_pivot_field)
        aggregates = self._parse_csv(self._parse_aggregate) if self._match(TokenType.USING) else [_count()]
        if len(aggregates) == 1 and aggregates[0].alias:
            # DuckDB adds the name of an only aggregate to that of a value, Spark does not.
            _add_to_names(fields[-1], aggregates[0].alias)
        return Pivoted(this=source, expressions=aggregates, fields=fields, keys=self._parse_pivot_keys())

    def _parse_unpivot_on(self, source: exp.Expr) -> Unpivoted:
        columns = self._parse_csv(self._parse_pivot_value)
        name: exp.Expr = exp.to_identifier("name")
        values: list[exp.Expr] = [exp.to_identifier("value")]
        if self._match(TokenType.INTO):
            self._expect_words("NAME")
            name = self._parse_new_name("a column")
            self._expect_words("VALUE")
            values = self._parse_csv(lambda: self._parse_new_name("a column"))
        return Unpivoted(this=source, values=values, name=name, expressions=columns)


def _count() -> exp.Expr:
    return exp.Count(this=exp.Star(), big_int=True)


def value_name(value: exp.Expr) -> str:
    """The name of the columns of a value without a name: its text, those of a tuple joined."""
    match value:
        case exp.Alias():
            return value.alias
        case exp.Tuple() | exp.Paren():
            parts = value.expressions or [value.this]
            return "_".join(map(value_name, parts))
        case exp.Cast():
            return value_name(value.this)
        case exp.Null():
            return "null"
        case exp.Boolean():
            return str(value.this).lower()
        case exp.Neg():
            return f"-{value_name(value.this)}"
    return value.name or value.sql()


def _add_to_names(field: exp.In, suffix: str) -> None:
    values = [
        exp.Alias(this=value.unalias(), alias=exp.to_identifier(f"{value_name(value)}_{suffix}", quoted=True))
        for value in field.expressions
    ]
    field.set("expressions", values)
