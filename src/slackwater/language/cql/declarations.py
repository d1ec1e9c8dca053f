"""Parsing declarations: streams, relations, tagged streams, views, the chronon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.base.diagnostic import Diagnostic
from slackwater.language.cql import errors
from slackwater.language.cql.catalogs import CatalogParser
from slackwater.language.cql.nodes import (
    OUTPUTS,
    CreateFunction,
    CreateSource,
    CreateTagged,
    CreateView,
    FullPoints,
    SetChronon,
)

CLAUSES = ("TIME", "KEY", "OP", "APPEND", "FROM", "FORMAT", "RECORD", "WITH")
OUTPUTS_OF_VIEWS = tuple(word.upper() for word in OUTPUTS)
_OF_RELATIONS = ("key", "op", "append_only")


class DeclarationParser(CatalogParser):
    """The part of the parser for declarations; the first word is already consumed."""

    def _parse_declaration(self, first: Token) -> exp.Expr:
        """CREATE, or CREATE OR REPLACE, and what it declares."""
        replaces = self._match_text_seq("OR", "REPLACE")
        last = self._prev
        declared = self._parse_declared(first)
        if replaces and self._skips_known:
            hint = "Write OR REPLACE or IF NOT EXISTS."
            self.refuse(errors.unexpected(self.span(first, last), "CREATE", hint))
        if replaces:
            declared.set("replace", True)
        if self._skips_known:
            declared.set("exists", True)
        return declared

    def _parse_declared(self, first: Token) -> exp.Expr:
        if self._match_texts(("STREAM", "RELATION")):
            return self._parse_source(first, self._prev.text.lower())
        if self._match_text_seq("VIEW"):
            return self._parse_view(first)
        if self._match_text_seq("SINK"):
            return self._parse_sink(first)
        if self._match_text_seq("FUNCTION"):
            return self._parse_new_function(first)
        if self._match_text_seq("AGGREGATE"):
            self._match_text_seq("FUNCTION")
            return self._parse_new_function(first, is_aggregate=True)
        if self._match_texts(OUTPUTS_OF_VIEWS):
            output = self._prev.text.lower()
            if not self._match_text_seq("VIEW"):
                self.refuse(errors.unexpected(self.span(self._curr), "VIEW"))
            return self._parse_view(first, output)
        return self.refuse(errors.unsupported_statement(self.span(first, self._curr or first)))

    def _parse_registration(self, first: Token) -> exp.Expr:
        """SyncSQL's `register source S (int A, char B)`, the STREAM prototype's `register stream S (B byte)`.

        The prototype's byte is a character.
        """
        if self._match_text_seq("SOURCE"):
            return self._parse_source(first, "stream", self._parse_typed_column)
        if not self._match_texts(("STREAM", "RELATION")):
            self.refuse(errors.unsupported_statement(self.span(first, self._curr or first)))
        source = self._parse_source(first, self._prev.text.lower())
        for column in source.args["columns"]:
            if column.kind and column.kind.is_type(exp.DType.TINYINT):
                column.set("kind", exp.DataType.build("CHAR(1)").update_positions(column.kind))
        return source

    def _parse_chronon(self, first: Token) -> exp.Expr:
        if not self._match_text_seq("CHRONON"):
            self.refuse(errors.unsupported_statement(self.span(first, self._curr or first)))
        self._match(TokenType.EQ)
        return self._mark(SetChronon(length=self._parse_length(positive=True)), first)

    def _parse_view(self, first: Token, output: str | None = None) -> exp.Expr:
        name = self._parse_declared_name()
        columns = self._parse_names() if self._match(TokenType.L_PAREN, advance=False) else None
        self._expect(TokenType.ALIAS, "AS")
        query = self._parse_whole_query()
        return self._mark(CreateView(this=name, columns=columns, query=query, output=output), first)

    def _parse_whole_query(self) -> exp.Expr:
        """The query of a statement or a view, which may be asked for at its full points only."""
        first = self._curr
        query = self._parse_query()
        if not self._match_text_seq("AT", "FULL", "POINTS"):
            return query
        return self._mark(FullPoints(this=query), first)

    def _parse_query(self) -> exp.Expr:
        raise NotImplementedError

    def _parse_tagged(self, first: Token, name: exp.Expr) -> exp.Expr:
        source = self._parse_new_name("a stream")
        if not self._match_text_seq("KEY"):
            hint = "Write the columns that identify a row, or KEY NULL for rows that are only inserted."
            self.refuse(errors.unexpected(self.span(self._curr), "KEY", hint))
        return self._mark(CreateTagged(this=name, source=source, key=self._parse_key()), first)

    def _parse_key(self) -> list[exp.Expr] | None:
        """KEY (a, b), KEY a, b or KEY NULL."""
        if self._match(TokenType.NULL):
            return None
        if self._match(TokenType.L_PAREN, advance=False):
            return self._parse_names()
        return self._parse_csv(lambda: self._parse_new_name("a column"))

    def _parse_source(
        self, first: Token, kind: str, column: Callable[[], exp.ColumnDef] | None = None
    ) -> exp.Expr:
        name = self._parse_declared_name()
        if kind == "stream" and self._match(TokenType.OVER):
            return self._parse_tagged(first, name)
        columns: list[exp.ColumnDef] = []
        # Columns may come from a schema: CREATE STREAM s FROM XML … WITH (schema = '…').
        if not (self._curr and self._curr.text.upper() in ("FROM", "TIME")):
            self._expect(TokenType.L_PAREN, "(")
            columns = self._parse_csv(column or self._parse_column_definition)
            if not self._match(TokenType.R_PAREN):
                self.refuse(errors.unexpected(self.span(self._curr), '"," or ")"'))
        source = CreateSource(kind=kind, this=name, columns=columns)
        clauses: set[str] = set()
        wrong: Diagnostic | None = None
        while self._curr:
            clause = self._curr
            arguments = self._parse_clause()
            if not arguments:
                break
            if clause.text.upper() in clauses:
                self.refuse(errors.repeated_clause(self.since(clause), clause.text.upper()))
            if wrong is None and not arguments.keys().isdisjoint(_OF_RELATIONS):
                wrong = errors.clause_of_relations(self.since(clause), clause.text.upper())
            clauses.add(clause.text.upper())
            for argument, value in arguments.items():
                source.set(argument, value)
        if kind == "stream" and wrong:
            # A stream whose rows are tagged with + u - is the relation that they change (SyncSQL 2.1).
            if not clauses >= {"KEY", "OP"} or "APPEND" in clauses:
                self.refuse(wrong)
            source.set("kind", "relation")
        return self._mark(source, first)

    def _parse_new_function(self, first: Token, *, is_aggregate: bool = False) -> exp.Expr:
        function = CreateFunction(this=self._parse_declared_name(), aggregate=is_aggregate)
        self._expect(TokenType.L_PAREN, "(")
        closes = self._match(TokenType.R_PAREN, advance=False)
        function.set("columns", [] if closes else self._parse_csv(self._parse_column_definition))
        self._expect(TokenType.R_PAREN, ")")
        self._expect_words("RETURNS")
        if not is_aggregate and self._match_text_seq("TABLE"):
            self._expect(TokenType.L_PAREN, "(")
            function.set("table", self._parse_csv(self._parse_column_definition))
            self._expect(TokenType.R_PAREN, ")")
        elif (returns := self._parse_marked_type()) is not None:
            function.set("returns", returns)
        else:
            self.refuse(errors.not_a_type(self.span(self._curr)))
        self._expect_words("LANGUAGE")
        self._expect_words("PYTHON")
        self._expect(TokenType.ALIAS, "AS")
        function.set("path", self._parse_quoted("an import path in single quotes: 'module:function'"))
        if self._match_text_seq("WITH"):
            function.set("options", self._parse_options())
        return self._mark(function, first)

    def _expect_words(self, word: str) -> None:
        if not self._match_text_seq(word):
            self.refuse(errors.unexpected(self.span(self._curr), word))

    def _parse_clause(self) -> dict[str, Any]:
        """The arguments of the next clause; none if there is no clause."""
        if self._match_text_seq("TIME"):
            name = self._parse_new_name("a column")
            return {"time": name, "time_type": self._parse_marked_type()}
        if self._match_text_seq("KEY"):
            return {"key": self._parse_key()}
        if self._match_text_seq("OP"):
            return {"op": self._parse_new_name("a column")}
        if self._match_text_seq("APPEND"):
            if not self._match_text_seq("ONLY"):
                self.refuse(errors.unexpected(self.span(self._curr), "ONLY"))
            return {"append_only": True}
        if self._match_text_seq("FROM"):
            arguments = {"format": exp.to_identifier("xml")} if self._match_text_seq("XML") else {}
            return {"location": self._parse_quoted("a path in single quotes"), **arguments}
        if self._match_text_seq("RECORD"):
            return {"record": self._parse_quoted("a path of elements in single quotes")}
        if self._match_text_seq("FORMAT"):
            return {"format": self._parse_new_name("the name of a format")}
        if self._match_text_seq("WITH"):
            return {"options": self._parse_options()}
        return {}

    def _parse_options(self) -> list[exp.Expr]:
        self._expect(TokenType.L_PAREN, "(")
        options = self._parse_csv(self._parse_option)
        self._expect(TokenType.R_PAREN, ")")
        return options

    def _parse_quoted(self, what: str) -> exp.Expr | None:
        if parameter := self._parse_named_parameter():
            return parameter
        if not self._match(TokenType.STRING, advance=False):
            self.refuse(errors.unexpected(self.span(self._curr), what))
        return self._parse_string()

    def _parse_option(self) -> exp.Expr:
        name = self._parse_new_name("the name of an option")
        self._expect(TokenType.EQ, "=")
        value = self._parse_unary()
        if value is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a value"))
        return self.expression(exp.EQ(this=name, expression=value))

    def _parse_column_definition(self) -> exp.ColumnDef:
        name = self._parse_new_name("a column")
        kind = self._parse_marked_type()
        if kind is None:
            self.refuse(errors.not_a_type(self.span(self._curr)))
        constraints = [] if not self._match_text_seq("NOT", "NULL") else [_not_null()]
        return self.expression(exp.ColumnDef(this=name, kind=kind, constraints=constraints))

    def _parse_typed_column(self) -> exp.ColumnDef:
        """A column with its type before it, `int A`, or after it, `A int`."""
        index = self._index
        kind = self._parse_marked_type()
        name = self._parse_id_var(any_token=False) if kind and not kind.is_type(exp.DType.TIME) else None
        if kind is None or name is None:
            self._retreat(index)
            return self._parse_column_definition()
        constraints = [] if not self._match_text_seq("NOT", "NULL") else [_not_null()]
        return self.expression(exp.ColumnDef(this=name, kind=kind, constraints=constraints))

    def _parse_marked_type(self) -> exp.Expr | None:
        first = self._curr
        if first.token_type not in self.TYPE_TOKENS or self._at_second_time():
            return None
        kind = self._parse_types(allow_identifiers=False, schema=True)
        return kind and self._mark(kind, first)

    def _at_second_time(self) -> bool:
        """Whether TIME is not a type but the start of another clause: `TIME a TIME b`."""
        return (
            self._curr.token_type == TokenType.TIME
            and self._next.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
            and self._next.text.upper() not in CLAUSES
        )

    def _parse_names(self) -> list[exp.Expr]:
        self._expect(TokenType.L_PAREN, "(")
        names = self._parse_csv(lambda: self._parse_new_name("a column"))
        self._expect(TokenType.R_PAREN, ")")
        return names

    def _parse_new_name(self, what: str) -> exp.Expr:
        name = self._parse_id_var(any_token=False)
        return name or self.refuse(errors.unexpected(self.span(self._curr), what))


def _not_null() -> exp.ColumnConstraint:
    return exp.ColumnConstraint(kind=exp.NotNullColumnConstraint())
