"""The nodes that CQL adds to SQL's: windows, stream operators, declarations.

Select Istream(a) From S [Rows 5] As x

StreamOf("istream")
  Select a
    From Windowed(S, StreamWindow("rows", 5), alias x)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from sqlglot import exp

from slackwater.base.time import Duration

WINDOW_KINDS = ("range", "rows", "now", "sliding", "fixed")
STREAM_OPERATORS = ("istream", "dstream", "rstream")


class Length(exp.Expression):
    """A length of time as written: a number, and a unit unless it counts chronons."""

    arg_types: ClassVar[dict[str, bool]] = {"amount": True, "unit": False}

    @property
    def amount(self) -> str:
        return str(self.args["amount"])

    @property
    def unit(self) -> str | None:
        return self.args.get("unit")

    @property
    def duration(self) -> Duration:
        return Duration(Fraction(self.amount), self.unit)


class StreamWindow(exp.Expression):
    """The window in brackets after a stream; no size means unbounded.

    Rows are counted by a Literal, time is measured by a Length. `within` is the time bound of a
    `Rows N Range T` window.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "size": False,
        "slide": False,
        "partition_by": False,
        "within": False,
    }

    @property
    def kind(self) -> str:
        return str(self.args["kind"])

    @property
    def size(self) -> Length | exp.Literal | None:
        return self.args.get("size")

    @property
    def slide(self) -> Length | exp.Literal | None:
        return self.args.get("slide")

    @property
    def within(self) -> Length | None:
        return self.args.get("within")

    @property
    def partition_by(self) -> list[exp.Column]:
        return self.args.get("partition_by") or []


class Windowed(exp.Expression):
    """A table or a parenthesized query with a window, in place of a table."""

    # sqlglot attaches the joins of `FROM (a JOIN b)` to a, which may have a window.
    arg_types: ClassVar[dict[str, bool]] = {"this": True, "window": True, "alias": False, "joins": False}

    @property
    def window(self) -> StreamWindow:
        window: StreamWindow = self.args["window"]
        return window

    @property
    def name(self) -> str:
        return str(self.this.name)


class StreamOf(exp.Expression):
    """A relation-to-stream operator over a query."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": True}

    @property
    def kind(self) -> str:
        return str(self.args["kind"])


class StreamList(exp.Expression):
    """`Istream(a, b)` in a select list; it exists only while its SELECT is parsed."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "expressions": True, "distinct": False}


class MaxUnion(exp.Union):
    """UNION MAX: a row as often as in the operand that has it more often."""


class StrictExcept(exp.Except):
    """EXCEPT STRICT: a row is kept only where the right operand has none of it."""


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
    }

    @property
    def kind(self) -> str:
        return str(self.args["kind"])

    @property
    def columns(self) -> list[exp.ColumnDef]:
        return self.args.get("columns") or []


class CreateView(exp.Expression):
    """CREATE VIEW name (columns) AS query."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "columns": False, "query": True}

    @property
    def columns(self) -> list[exp.Identifier]:
        return self.args.get("columns") or []

    @property
    def query(self) -> Any:
        return self.args["query"]


class SetChronon(exp.Expression):
    """SET CHRONON: the length of one step of time."""

    arg_types: ClassVar[dict[str, bool]] = {"length": True}

    @property
    def length(self) -> Length:
        length: Length = self.args["length"]
        return length


QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, StreamOf, Windowed)
STATEMENTS = (*QUERIES, CreateSource, CreateView, SetChronon)
