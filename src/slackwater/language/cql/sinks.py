"""Parsing sinks, and the queries that write to them.

CREATE SINK late AS SELECT … INTO 'late' FORMAT parquet MODE table KEY (id) WITH (overwrite = TRUE)
CREATE SINK late (id INT, n BIGINT) INTO 'late' FORMAT parquet;    INSERT INTO late SELECT …
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import CreateSink, InsertInto
from slackwater.language.cql.windows import WindowParser

QUERY_STARTS = ("SELECT", "WITH", "VALUES", "PIVOT", "UNPIVOT", "ISTREAM", "DSTREAM", "RSTREAM", "(")
"""The words that begin a query."""
SINK_CLAUSES = ("INTO", "FORMAT", "MODE", "KEY", "WITH")


class SinkParser(WindowParser):
    """The part of the parser for sinks; what declarations share is in `declarations`."""

    _skips_known = False
    """Whether the declaration has IF NOT EXISTS."""

    def _parse_sink(self, first: Token) -> exp.Expr:
        """CREATE SINK; these words are already consumed."""
        name = self._parse_declared_name()
        columns = query = None
        if self._match(TokenType.L_PAREN):
            columns = self._parse_csv(self._parse_column_definition)
            self._expect(TokenType.R_PAREN, ")")
        else:
            self._expect(TokenType.ALIAS, "AS")
            query = self._parse_whole_query()
        sink = CreateSink(this=name, columns=columns, query=query)
        clauses: set[str] = set()
        while self._curr and (arguments := self._parse_sink_clause()):
            ((clause, value),) = arguments.items()
            if clause in clauses:
                self.refuse(errors.repeated_clause(self.span(self._prev), clause.upper()))
            clauses.add(clause)
            sink.set("location" if clause == "into" else clause, value)
        if "into" not in clauses:
            hint = "Write the folder of the answers: INTO 'path'."
            self.refuse(errors.unexpected(self.span(self._curr), "INTO", hint))
        return self._mark(sink, first)

    def _parse_sink_clause(self) -> dict[str, Any]:
        """The argument of the next clause; none if there is no clause."""
        if self._match_text_seq("INTO"):
            return {"into": self._parse_quoted("a path in single quotes")}
        if self._match_text_seq("FORMAT"):
            return {"format": self._parse_new_name("the name of a format")}
        if self._match_text_seq("MODE"):
            return {"mode": self._parse_new_name("the name of a mode")}
        if self._match_text_seq("KEY"):
            return {"key": self._parse_key()}
        if self._match_text_seq("WITH"):
            return {"options": self._parse_options()}
        return {}

    def _parse_insert_into(self, first: Token) -> exp.Expr:
        """INSERT INTO a sink; the first word is already consumed."""
        if not self._match_text_seq("INTO"):
            self.refuse(errors.unsupported_statement(self.span(first, self._curr or first)))
        name = self._parse_new_name("a sink")
        if self._curr.token_type in (TokenType.VALUES, TokenType.L_PAREN) and not self._begins_query():
            self.refuse(errors.unsupported_statement(self.span(first)))
        return self._mark(InsertInto(this=name, query=self._parse_whole_query()), first)

    def _parse_into(self) -> exp.Into | None:
        # INTO 'path' is the clause of a sink, also behind a query without FROM.
        return None if self._next.token_type == TokenType.STRING else super()._parse_into()

    def _begins_query(self) -> bool:
        """Whether a query in parentheses follows, and not a list of columns."""
        return self._curr.token_type == TokenType.L_PAREN and self._next.text.upper() in QUERY_STARTS

    def _parse_whole_query(self) -> exp.Expr:
        raise NotImplementedError

    def _parse_declared_name(self) -> exp.Expr:
        """The name of a declaration, and the IF NOT EXISTS before it."""
        self._skips_known = bool(self._match_text_seq("IF", "NOT", "EXISTS"))
        return self._parse_new_name("a name")

    def _parse_new_name(self, what: str) -> exp.Expr:
        raise NotImplementedError

    def _parse_key(self) -> list[exp.Expr] | None:
        raise NotImplementedError

    def _parse_quoted(self, what: str) -> exp.Expr | None:
        raise NotImplementedError

    def _parse_options(self) -> list[exp.Expr]:
        raise NotImplementedError

    def _parse_column_definition(self) -> exp.ColumnDef:
        raise NotImplementedError
