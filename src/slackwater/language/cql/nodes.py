"""The nodes that CQL and SyncSQL add to SQL's: windows, stream operators, synchronization, declarations.

Select Istream(a) From S [Rows 5] As x

StreamOf("istream")
  Select a
    From Windowed(S, StreamWindow("rows", 5), alias x)
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from sqlglot import exp

from slackwater.base.time import Duration
from slackwater.language.cql.items import LateralQuery as LateralQuery
from slackwater.language.cql.items import Pivoted as Pivoted
from slackwater.language.cql.items import Recognized as Recognized
from slackwater.language.cql.items import Unnested as Unnested
from slackwater.language.cql.items import Unpivoted as Unpivoted
from slackwater.language.cql.items import ValueRows as ValueRows
from slackwater.language.cql.statements import CreateFunction as CreateFunction
from slackwater.language.cql.statements import CreateSink as CreateSink
from slackwater.language.cql.statements import CreateSource as CreateSource
from slackwater.language.cql.statements import CreateTagged as CreateTagged
from slackwater.language.cql.statements import CreateView as CreateView
from slackwater.language.cql.statements import Describe as Describe
from slackwater.language.cql.statements import Drop as Drop
from slackwater.language.cql.statements import InsertInto as InsertInto
from slackwater.language.cql.statements import SetChronon as SetChronon
from slackwater.language.cql.statements import Show as Show

WINDOW_KINDS = ("range", "rows", "now", "sliding", "fixed", "session")
STREAM_OPERATORS = ("istream", "dstream", "rstream", "final")
WINDOW_FUNCTIONS = {
    "tumble": ("data", "timecol", "size", "offset"),
    "hop": ("data", "timecol", "slide", "size", "offset"),
    "cumulate": ("data", "timecol", "step", "size", "offset"),
    "session": ("data", "timecol", "gap"),
}
"""The table functions that put rows into windows, and their arguments in order."""
SYSTEM_TIME = "SYSTEM_TIME"
"""The name of the version of a table in FOR SYSTEM_TIME AS OF."""
DECLARED_KINDS = ("stream", "relation", "view", "sink", "function")
"""What is declared, dropped and shown."""
OUTPUTS = ("streamed", "complete")
"""The forms of an answer that SyncSQL names.      SyncSQL 2.1"""


class NamedParameter(exp.Expression):
    """:name, a value that is passed with the text; `positive` where zero is not allowed.

    Binding replaces it by a literal before anything else.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "positive": False}

    @property
    def name(self) -> str:
        return str(self.args["this"])

    @property
    def is_positive(self) -> bool:
        return bool(self.args.get("positive"))


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


class WindowTable(exp.Expression):
    """TUMBLE, HOP, CUMULATE or SESSION in FROM: the rows of `this` in windows of the column `time`.

    `step` is the slide of HOP. With DESCRIPTOR, as Flink writes it, there is a column `window_time`.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "this": True,
        "time": True,
        "size": False,
        "step": False,
        "gap": False,
        "offset": False,
        "partition_by": False,
        "descriptor": False,
        "alias": False,
        "joins": False,
    }

    @property
    def kind(self) -> str:
        return str(self.args["kind"])

    @property
    def name(self) -> str:
        return str(self.this.name)

    @property
    def form(self) -> str:
        """How the function is called."""
        lengths = {"size": "'10' MINUTE", "slide": "'5' MINUTE", "step": "'5' MINUTE", "gap": "'10' MINUTE"}
        shown = [f"INTERVAL {lengths[name]}" for name in WINDOW_FUNCTIONS[self.kind] if name in lengths]
        return f"{self.kind.upper()}({', '.join(['bid', 'ts', *shown])})"


class RelationOf(exp.Expression):
    """R(S), ℜ(S): the relation of a stream, a relation, a view or a query.      SyncSQL 2.1"""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "alias": False, "joins": False}

    @property
    def name(self) -> str:
        return str(self.this.name) if isinstance(self.this, exp.Table) else ""


class Every(exp.Expression):
    """EVERY 5 MINUTES OFFSET 1 MINUTE: time points without a synchronization stream."""

    arg_types: ClassVar[dict[str, bool]] = {"period": True, "offset": False}

    @property
    def period(self) -> Length:
        period: Length = self.args["period"]
        return period

    @property
    def offset(self) -> Length | None:
        return self.args.get("offset")


class Synchronized(exp.Expression):
    """A source in FROM that changes only at time points: `R(S) SYNC BY Sync`, `R[Sync](S)`.      SyncSQL 3.1

    `by` is the name of a synchronization stream, or an `Every`.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "by": True, "alias": False, "joins": False}

    @property
    def by(self) -> exp.Expression:
        by: exp.Expression = self.args["by"]
        return by

    @property
    def name(self) -> str:
        return str(self.this.name)


class Dimension(exp.Expression):
    """(abs(T.x - H.x)) MIN 100, (R.a, S.a) subset: how a best-match join compares pairs.      thesis 4.2.2.2

    `order` is the name after the parenthesis, in lower case.
    """

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "order": True, "bound": False}

    @property
    def order(self) -> exp.Identifier:
        order: exp.Identifier = self.args["order"]
        return order

    @property
    def bound(self) -> exp.Expression | None:
        return self.args.get("bound")


class BestMatchOn(exp.Expression):
    """What follows the ON of a best-match join: dimensions, then conditions after AND.

    `keep` is KEEP UNMATCHED after them. The word CONSTRAINED is the method of the join.
    """

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "condition": False, "keep": False}

    @property
    def condition(self) -> exp.Expression | None:
        return self.args.get("condition")

    @property
    def keeps_unmatched(self) -> bool:
        return bool(self.args.get("keep"))


class Plus(exp.Unary):
    """+x, which is x: a number or an interval."""


class FullPoints(exp.Expression):
    """A query AT FULL POINTS: refreshed where it reflects all its inputs.      SyncSQL propositions 1, 2"""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class StreamOf(exp.Expression):
    """A relation-to-stream operator over a query."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": True}

    @property
    def kind(self) -> str:
        return str(self.args["kind"])


class StreamList(exp.Expression):
    """`Istream(a, b)` in a select list; it exists only while its SELECT is parsed."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "expressions": True, "distinct": False}


class OutputList(exp.Expression):
    """`STREAMED a, b` in a select list; it exists only while its SELECT is parsed."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "expressions": True, "distinct": False}


class MaxUnion(exp.Union):
    """UNION MAX: a row as often as in the operand that has it more often."""


class StrictExcept(exp.Except):
    """EXCEPT STRICT: a row is kept only where the right operand has none of it."""


FROM_ITEMS = (
    Recognized, Pivoted, Unpivoted, Windowed, WindowTable, RelationOf, Synchronized, Unnested, LateralQuery,
)  # fmt: skip
"""What may stand in FROM beside SQL's tables and queries; each may have an alias and joins."""
LISTINGS = (Show, Describe)
"""Statements whose answers are known as soon as they are read."""
QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, ValueRows, StreamOf, Windowed, FullPoints)
STATEMENTS = (
    *QUERIES, CreateSource, CreateTagged, CreateView, CreateSink, CreateFunction, InsertInto,
    Drop, Show, Describe, SetChronon,
)  # fmt: skip


def output_of(query: exp.Expression) -> exp.Var | None:
    """The STREAMED or COMPLETE of a query: that of its first SELECT."""
    while isinstance(query, exp.SetOperation | exp.Subquery | FullPoints):
        query = query.this
    modifiers = query.args.get("operation_modifiers") or []
    return modifiers[0] if modifiers else None
