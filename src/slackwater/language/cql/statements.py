"""Nodes of statements that are no queries: declarations, INSERT INTO, DROP, SHOW, DESCRIBE, SET CHRONON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

if TYPE_CHECKING:
    from slackwater.language.cql.nodes import Length


class CreateSource(exp.Expression):
    """CREATE STREAM, CREATE RELATION."""

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "this": True,
        "columns": False,
        "time": False,
        "time_type": False,
        "key": False,
        "op": False,
        "location": False,
        "format": False,
        "record": False,
        "append_only": False,
        "options": False,
        "replace": False,
        "exists": False,
    }

    @property
    def kind(self) -> str:
        return str(self.args["kind"])

    @property
    def columns(self) -> list[exp.ColumnDef]:
        return self.args.get("columns") or []


class CreateTagged(exp.Expression):
    """CREATE STREAM name OVER source KEY columns; KEY NULL is no key.      SyncSQL 2.1"""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "source": True,
        "key": False,
        "replace": False,
        "exists": False,
    }


class CreateView(exp.Expression):
    """CREATE [STREAMED | COMPLETE] VIEW name (columns) AS query."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "columns": False,
        "query": True,
        "output": False,
        "replace": False,
        "exists": False,
    }

    @property
    def output(self) -> str | None:
        return self.args.get("output")

    @property
    def columns(self) -> list[exp.Identifier]:
        return self.args.get("columns") or []

    @property
    def query(self) -> Any:
        return self.args["query"]


class _Columned(exp.Expression):
    """A declaration with columns."""

    @property
    def columns(self) -> list[exp.ColumnDef]:
        return self.args.get("columns") or []


class CreateSink(_Columned):
    """CREATE SINK name AS query INTO 'path' …; with columns instead of a query, INSERT INTO writes to it."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "columns": False,
        "query": False,
        "location": False,
        "format": False,
        "mode": False,
        "key": False,
        "options": False,
        "replace": False,
        "exists": False,
    }

    @property
    def query(self) -> Any:
        return self.args.get("query")


class InsertInto(exp.Expression):
    """INSERT INTO a sink, and the query that it writes."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "query": True}

    @property
    def query(self) -> Any:
        return self.args["query"]


class CreateFunction(_Columned):
    """CREATE [AGGREGATE] FUNCTION name (arguments) RETURNS type LANGUAGE PYTHON AS 'module:function'.

    WITH (options) may follow. A table function has columns in place of a type: RETURNS TABLE (columns).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "aggregate": False,
        "columns": False,
        "returns": False,
        "table": False,
        "path": True,
        "options": False,
        "replace": False,
        "exists": False,
    }

    @property
    def is_aggregate(self) -> bool:
        return bool(self.args.get("aggregate"))

    @property
    def table(self) -> list[exp.ColumnDef] | None:
        return self.args.get("table")


class SetChronon(exp.Expression):
    """SET CHRONON: the length of one step of time."""

    arg_types: ClassVar[dict[str, bool]] = {"length": True}

    @property
    def length(self) -> Length:
        length: Length = self.args["length"]
        return length


class Drop(exp.Expression):
    """DROP STREAM | RELATION | VIEW | SINK | FUNCTION [IF EXISTS] name; `kind` is the word in lower case."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": True, "exists": False}

    @property
    def kind(self) -> str:
        return str(self.args["kind"])


class Show(exp.Expression):
    """SHOW STREAMS | RELATIONS | VIEWS | SINKS | FUNCTIONS | TABLES: what is declared so far."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True}

    @property
    def kind(self) -> str:
        return str(self.args["kind"])


class Describe(exp.Expression):
    """DESCRIBE name, DESCRIBE query: the columns and their types."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}
