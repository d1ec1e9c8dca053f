"""The parameters of a text: each is replaced by a literal before its statement is bound.

Since the tree is changed and not the text, a value is never read as anything but a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlglot import exp

from slackwater.algebra.types import BIGINT, DOUBLE
from slackwater.base.diagnostic import Diagnostic, QueryError, did_you_mean, quoted
from slackwater.base.time import length_in
from slackwater.bind.binding import Binding
from slackwater.bind.parameters import problems
from slackwater.bind.parameters.values import Unread, literal_node, read_as
from slackwater.language.cql import nodes
from slackwater.language.cql.windows import canonical

_VALUE = "a number, text, boolean, date, timestamp, length of time or None"
_LENGTH = "a length of time, such as '5 minutes'"
_SHOWN = 40
_SHARES = ("percentile", "percentile_approx", "approx_percentile", "percentile_cont", "percentile_disc")
"""Functions that take a share of the rows, as a number."""
_COUNTED = (nodes.StreamWindow, exp.Limit, exp.Offset, exp.Fetch)
"""What counts rows."""


@dataclass(slots=True)
class Parameters:
    """The values that are passed with a text, and the parameters that it has."""

    values: Mapping[str, Any] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def replace_in(self, statement: exp.Expression, binding: Binding) -> exp.Expression:
        """The statement with literals in place of its parameters; errors are reported."""
        parameters = statement.find_all(nodes.NamedParameter)
        for node in sorted(parameters, key=lambda node: binding.span(node).start):
            self.names.add(node.name)
            if node.name in self.values:
                _replace(node, self.values[node.name], binding)
                continue
            passed = quoted(sorted(self.values))
            detail = None if self.values else "No values are passed."
            span = binding.span(node)
            missing = problems.MISSING_PARAMETER.at(span, name=node.name, passed=passed, detail=detail)
            binding.report(missing)
            _put(node, [_stand_in(node)])
        return statement

    def refuse_unused(self) -> None:
        """Raises QueryError for values that no parameter takes."""
        unused = [name for name in self.values if name not in self.names]
        if unused:
            raise QueryError([_unused(name, sorted(self.names)) for name in unused])


def _unused(name: str, known: list[str]) -> Diagnostic:
    detail = None if known else "It has no parameters."
    hint = did_you_mean(name, known)
    return problems.UNUSED_PARAMETER.at(name=name, known=quoted(known), detail=detail, hint=hint)


def _replace(node: nodes.NamedParameter, value: Any, binding: Binding) -> None:
    """Replace a parameter by the literals that its place takes."""
    takes, literals = _at_place(node, value)
    fitting = [literal for literal in literals if literal is not None]
    if not fitting or len(fitting) < len(literals):
        shown, span = _shown(value) if literals else "an empty list", binding.span(node)
        binding.report(problems.BAD_PARAMETER.at(span, name=node.name, value=shown, takes=takes))
        fitting = [_stand_in(node)]
    elif isinstance(value, Unread) and fitting[0].is_string:
        binding.unread[binding.span(node)] = fitting[0]
    _put(node, fitting)


def _at_place(node: nodes.NamedParameter, value: Any) -> tuple[str, Sequence[exp.Expression | None]]:
    """What the place of a parameter takes, in words, and the value as that; None where it is not."""
    match node.parent:
        case nodes.Length(unit=None):
            takes = f"{_LENGTH}, greater than zero" if node.is_positive else _LENGTH
            return takes, [_length(node.parent, value)]
        case nodes.Length():
            return f"a number of {node.parent.unit}s", [_length(node.parent, value)]
        case parent if isinstance(parent, _COUNTED):
            least = 1 if node.is_positive else 0
            return f"a whole number from {least} on", [_count(value, least)]
        case exp.Interval():
            return "a number", [_amount(value)]
        case exp.Anonymous() if node.parent.name.lower() in _SHARES and isinstance(value, Unread):
            return "a number", [_number(value.text) or _literal(value)]
        case exp.In() if isinstance(value, list | tuple | set | frozenset) and node.arg_key == "expressions":
            return "a list of values", [literal_node(item) for item in value]
        case nodes.CreateSource() | nodes.CreateSink() | nodes.CreateFunction():
            text = value.text if isinstance(value, Unread) else value
            return "a text", [exp.Literal.string(text) if isinstance(text, str) else None]
        case _:
            return _VALUE, [_literal(value)]


def _stand_in(node: nodes.NamedParameter) -> exp.Expression:
    """A literal in the place of a value that was reported."""
    match node.parent:
        case nodes.Length():
            return nodes.Length(amount="1", unit=node.parent.unit)
        case parent if isinstance(parent, _COUNTED):
            return exp.Literal.number(1)
        case exp.Interval() | nodes.CreateSource() | nodes.CreateSink() | nodes.CreateFunction():
            return exp.Literal.string("1")
        case _:
            return exp.Null()


def _shown(value: Any) -> str:
    text = repr(value.text) if isinstance(value, Unread) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _put(node: nodes.NamedParameter, literals: Sequence[exp.Expression]) -> None:
    if isinstance(literals[0], nodes.Length):
        assert isinstance(node.parent, nodes.Length)
        node.parent.set("unit", literals[0].unit)
        node.parent.set("amount", literals[0].amount)
        return
    for literal in literals:
        literal.update_positions(node)
    if len(literals) == 1:
        node.replace(literals[0])
        return
    assert node.parent is not None
    listed = node.parent.expressions
    place = next(at for at, item in enumerate(listed) if item is node)
    node.parent.set("expressions", [*listed[:place], *literals, *listed[place + 1 :]])


def _literal(value: Any) -> exp.Expression | None:
    return exp.Literal.string(value.text) if isinstance(value, Unread) else literal_node(value)


def _count(value: Any, least: int) -> exp.Expression | None:
    count = read_as(value.text, BIGINT) if isinstance(value, Unread) else value
    is_whole = not isinstance(count, bool) and hasattr(count, "__index__")
    return exp.Literal.number(int(count)) if is_whole and count >= least else None


def _number(text: str) -> exp.Expression | None:
    """The number that a text spells."""
    whole = read_as(text, BIGINT)
    return literal_node(read_as(text, DOUBLE) if whole is None else whole)


def _amount(value: Any) -> exp.Expression | None:
    """The number of units of an interval, which SQL writes in quotes."""
    amount = read_as(value.text, DOUBLE) if isinstance(value, Unread) else value
    if isinstance(amount, bool) or not isinstance(amount, int | float | Decimal):
        return None
    return exp.Literal.string(value.text.strip() if isinstance(value, Unread) else f"{value}")


def _length(place: nodes.Length, value: Any) -> nodes.Length | None:
    """A number, counted in the unit of the place, or a length with a unit where the place has none."""
    text = value.text if isinstance(value, Unread) else value
    if isinstance(text, timedelta):
        interval = literal_node(text)
        text = f"{interval.this.name} {interval.args['unit'].name}" if interval is not None else text
    elif isinstance(text, bool) or not isinstance(text, str | int | float | Decimal):
        return None
    length = length_in(f"{text}")
    if length is None or length.is_negative or (length.word and (length.unit is None or place.unit)):
        return None
    amount = canonical(length.amount)
    if amount is None or (place.args["amount"].is_positive and not Fraction(amount)):
        return None
    return nodes.Length(amount=amount, unit=length.unit or place.unit)
