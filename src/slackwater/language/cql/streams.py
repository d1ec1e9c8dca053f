"""Parsing relation-to-stream operators, around queries and in select lists."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.declarations import DeclarationParser
from slackwater.language.cql.nodes import STREAM_OPERATORS, StreamList, StreamOf

NAMED_OPERATIONS = (TokenType.UNION, TokenType.EXCEPT)
"""The operators between two names: `S1 union S2`."""

_QUERY_STARTS = (TokenType.SELECT, TokenType.WITH, TokenType.VALUES)


class StreamOperatorParser(DeclarationParser):
    """The part of the parser for Istream, Dstream and Rstream."""

    _OPERATORS: ClassVar = {
        *Parser.DISJUNCTION,
        *Parser.CONJUNCTION,
        *Parser.EQUALITY,
        *Parser.COMPARISON,
        *Parser.TERM,
        *Parser.FACTOR,
    }

    def _at_stream_operator(self) -> bool:
        return (
            self._curr.token_type == TokenType.VAR
            and self._curr.text.lower() in STREAM_OPERATORS
            and self._next.token_type == TokenType.L_PAREN
        )

    def _begins_stream_query(self) -> bool:
        """Whether `Istream(` and a query, possibly in parentheses, follow."""
        if not self._at_stream_operator():
            return False
        rest = self._tokens[self._index :]
        for token, following in pairwise(rest):
            if token.token_type != TokenType.L_PAREN and token.text.lower() not in STREAM_OPERATORS:
                return token.token_type in _QUERY_STARTS or following.token_type in NAMED_OPERATIONS
        return False

    def _parse_stream_of(self) -> StreamOf:
        first = self._curr
        self._advance(2)
        query = self._parse_query()
        self._match_r_paren()
        return self._mark(StreamOf(kind=first.text.lower(), this=query), first)

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        if not self._at_stream_operator():
            return super()._parse_projections()
        first = self._curr
        self._advance(2)
        distinct = self._match(TokenType.DISTINCT)
        items = self._parse_expressions()
        if not items:
            self.refuse(errors.unexpected(self.span(self._curr), "a select list"))
        self._match_r_paren()
        last = self._prev
        if self._match(TokenType.COMMA, advance=False):
            self.refuse(errors.several_items(self.span(first, last), first.text))
        if self._match_set(self._OPERATORS, advance=False):
            self.refuse(errors.operator_in_expression(self.span(first, last), first.text))
        if len(items) == 1 and not isinstance(items[0], exp.Alias):
            items = [self._parse_alias(items[0]) or items[0]]
            if self._match(TokenType.COMMA, advance=False):
                self.refuse(errors.several_items(self.span(first, last), first.text))
        stream_list = StreamList(kind=first.text.lower(), expressions=items, distinct=distinct)
        return [self._mark(stream_list, first, last)], None

    def _lifted(self, query: exp.Expr | None) -> exp.Expr | None:
        """SELECT Istream(L) FROM … = Istream(SELECT L FROM …)"""
        items = query.expressions if isinstance(query, exp.Select) else []
        if query is None or len(items) != 1 or not isinstance(items[0], StreamList):
            return query
        stream_list = items[0]
        query.set("expressions", stream_list.expressions)
        if stream_list.args.get("distinct"):
            query.set("distinct", exp.Distinct())
        return StreamOf(kind=stream_list.args["kind"], this=query).update_positions(stream_list)
