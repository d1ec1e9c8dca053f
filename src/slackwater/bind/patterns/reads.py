"""What conditions and measures of a pattern look at: each reading becomes a column of their own row.

B.price < PREV(B.price)   ─►   "@0" < "@1"      @0 last of B, price    @1 the row before it, price
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.patterns import Read, Reading
from slackwater.algebra.types import BIGINT, BOOLEAN, STRING, UNKNOWN
from slackwater.base.span import Span
from slackwater.bind.binding import Binding
from slackwater.bind.expressions import Expressions
from slackwater.bind.functions import aggregate_call
from slackwater.bind.nested.paths import column_of_names, names_in
from slackwater.bind.patterns import problems
from slackwater.bind.scope import Field, Scope, Table

_JOIN_FIRST = "Join its answer before: (ISTREAM(SELECT …)) MATCH_RECOGNIZE (…)."
_NAVIGATIONS = ("first", "last", "prev", "next")


@dataclass(slots=True)
class Reads:
    """The readings of one pattern so far."""

    binding: Binding
    rows: Expressions
    """Binds expressions over one row of the stream."""
    variables: dict[str, str]
    """The variables of the pattern, by their names in lower case."""
    names: dict[Read, str] = field(default_factory=dict)
    fails: bool = False

    @property
    def scope(self) -> Scope:
        fields = [Field(name, name, read.type) for read, name in self.names.items()]
        return Scope([Table("", tuple(fields))])

    def bound(self, node: exp.Expression, clause: str, *, is_condition: bool) -> Expression | None:
        """An expression over readings; None for an error."""
        before = len(self.binding.errors)
        if node.find(exp.Query):
            self._refuse(self.binding.span(node), "a pattern has no subqueries", "a query", _JOIN_FIRST)
            return None
        lifted = node.transform(self._lifted)
        if len(self.binding.errors) > before:
            return None
        binder = Expressions(self.binding, self.scope, self.rows.subquery, [], clause)
        value = binder.condition(lifted, clause) if is_condition else binder.bind(lifted)
        return None if value.type is UNKNOWN else value

    def _lifted(self, node: exp.Expression) -> exp.Expression:
        read = self._read(node)
        if read is None:
            return node
        name = self.names.setdefault(read, f"@{len(self.names)}")
        column, span = exp.Column(this=exp.to_identifier(name, quoted=True)), self.binding.span(node)
        column.meta.update(start=span.start, end=span.end - 1)
        return column

    def _read(self, node: exp.Expression) -> Read | None:
        """The reading that a node is, if it is one."""
        span = self.binding.span(node)
        if isinstance(node, exp.Column):
            return self._of_rows(node, Reading.LAST, 0, 0, span)
        call = _called(node)
        if call == "classifier":
            return Read(STRING, Reading.CLASSIFIER)
        if call == "match_number":
            return Read(BIGINT, Reading.NUMBER)
        if isinstance(node, exp.Lag | exp.Lead):
            word = type(node).__name__.upper()
            advice = "Write PREV(B.price) for the row before that of a variable."
            return self._refuse(span, f"{word} is not of patterns", "a function with OVER", advice)
        if call in _NAVIGATIONS:
            return self._navigated(node, call, span)
        is_aggregate = aggregate_call(node, self.binding.catalog.functions) is not None
        return self._aggregate(node, span) if is_aggregate else None

    def _navigated(self, node: exp.Expression, call: str, span: Span) -> Read:
        if call == "next":
            advice = "Define the later row by its own variable, with PREV."
            return self._refuse(span, "NEXT looks at a row that has not come yet", "a later row", advice)
        value, *counts = _arguments(node)
        count = 1 if call == "prev" else 0
        if counts:
            if not isinstance(counts[0], exp.Literal) or not counts[0].name.isdigit():
                advice = "Write a number: LAST(A.x, 1)."
                return self._refuse(
                    span, f"{call.upper()} counts a constant number of rows", "the count", advice
                )
            count = int(counts[0].name)
        if call != "prev":
            reading = Reading.FIRST if call == "first" else Reading.LAST
            return self._of_rows(value, reading, count, 0, span)
        inner = _called(value)
        if inner in ("first", "last"):
            read = self._navigated(value, inner, span)
            return Read(read.type, read.reading, read.variable, read.offset, count, read.value)
        return self._of_rows(value, Reading.LAST, 0, count, span)

    def _of_rows(self, node: exp.Expression, reading: Reading, offset: int, before: int, span: Span) -> Read:
        variable, plain = self._of_one(node, span)
        value = self.rows.bind(plain)
        return Read(value.type, reading, variable, offset, before, value)

    def _aggregate(self, node: exp.Expression, span: Span) -> Read:
        variable, plain = self._of_one(node, span)
        call = aggregate_call(plain, self.binding.catalog.functions)
        assert call is not None
        aggregation = self.rows.aggregation(call, span)
        if aggregation is None:
            return Read(UNKNOWN, Reading.AGGREGATE)
        return Read(aggregation.type, Reading.AGGREGATE, variable, aggregation=aggregation)

    def _of_one(self, node: exp.Expression, span: Span) -> tuple[str, exp.Expression]:
        """The one variable that an expression looks at, and the expression over its rows."""
        prefixes = {self._prefix(column) for column in node.find_all(exp.Column)} or {""}
        if len(prefixes) > 1:
            advice = "Read each variable by itself: A.x + B.x, and not LAST(A.x + B.x)."
            self._refuse(span, "a reading is of the rows of one variable", "several variables", advice)
        prefix = next(iter(sorted(prefixes, reverse=True)))
        variable = self.variables.get(prefix.lower(), "")
        if prefix and not variable:
            known = ", ".join(self.variables.values())
            self.binding.report(problems.UNKNOWN_VARIABLE.at(span, name=prefix, known=known))
        return variable, node.transform(lambda part: _unqualified(part) if self._prefix(part) else part)

    def _prefix(self, node: exp.Expression) -> str:
        """The variable before the first dot; a column of the rows may have fields after its own."""
        names = names_in(node) if isinstance(node, exp.Column) else []
        if len(names) < 2 or (
            names[0].lower() not in self.variables and self.rows.scope.find(names[0], None)
        ):
            return ""
        return names[0]

    def _refuse(self, span: Span, why: str, mark: str, advice: str) -> Read:
        self.binding.report(problems.NAVIGATION.at(span, why=why, mark=mark, advice=advice))
        return Read(BOOLEAN, Reading.LAST, value=Literal(BOOLEAN, None))


def _unqualified(node: exp.Expression) -> exp.Expression:
    if not isinstance(node, exp.Column) or not node.table:
        return node
    if isinstance(node.this, exp.Star):
        return exp.Star()
    names = names_in(node)[1:]
    return column_of_names(names).update_positions(node)


def _called(node: exp.Expression) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return "first" if isinstance(node, exp.First) else "last" if isinstance(node, exp.Last) else ""


def _arguments(node: exp.Expression) -> list[exp.Expression]:
    listed = [node.this, node.args.get("expression"), *node.expressions]
    values = node.expressions if isinstance(node, exp.Anonymous) else listed
    return [value for value in values if isinstance(value, exp.Expression)] or [exp.null()]
