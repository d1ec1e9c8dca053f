"""Expressions over one row: typed, immutable, equal when they compute the same.

A column is named as in the schema of the operator that holds the expression. Inside a subquery an
`Outer` names a column of a row of the enclosing query; the binder keeps the names of nested
queries apart. SQL's three-valued logic holds throughout: NULL is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from slackwater.algebra.orders import Order
from slackwater.algebra.types import BOOLEAN, Type

if TYPE_CHECKING:
    from slackwater.algebra.operator import Operator
    from slackwater.algebra.users.functions import UserFunction
from slackwater.base.span import Span
from slackwater.base.tree import Part, children, rebuild, walk


@dataclass(frozen=True, slots=True)
class Expression:
    """Something with a value for every row."""

    type: Type
    origin: Span | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions this one is made of, one level down."""
        return tuple(children(self, Expression))

    def walk(self) -> Iterator[Expression]:
        """This expression and all that it is made of; not the plans of its subqueries."""
        return walk(self, lambda expr: expr.parts)


@dataclass(frozen=True, slots=True)
class Column(Expression):
    """The row's value in the column of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Outer(Expression):
    """The value of that column in the row of an enclosing query."""

    name: str


@dataclass(frozen=True, slots=True)
class Now(Expression):
    """The current time; only in the condition of a `When`."""


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """The same value in every row; None is NULL."""

    value: Any


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of the table in `functions`, applied to its arguments."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """The value of the first branch whose condition is true, else of `otherwise`."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """The operand's value as one of another type; NULL stays NULL.

    A text that does not spell a value of the type, or a number that does not fit it, is an error
    of the data unless `lenient` (TRY_CAST), which gives NULL.
    """

    operand: Expression
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class Preferred(Expression):
    """Whether one pair of values matches at least as well as another; NULL if they are not comparable."""

    order: Order
    arguments: tuple[Expression, ...]
    """The two values of the one pair, then those of the other."""


@dataclass(frozen=True, slots=True)
class UserCall(Expression):
    """A function of a user, applied to its arguments."""

    function: UserFunction
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    """The value that the function around it is called with in the parameter of that name."""

    name: str
    label: str = field(default="", compare=False)
    """Its name in the query."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; its name is made from its place, so that equal functions are equal."""

    name: str
    type: Type
    label: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Lambda(Part):
    """A function `(x, y) -> body`: the body's value with the parameters' values for its variables.

    The body may use columns, and variables of functions around it. A parameter hides one of the same name
    outside, so a function without free variables may be put at any place.
    """

    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class HigherCall(Expression):
    """A function of the table in `higher`, applied to its arguments and to functions of their elements."""

    function: str
    arguments: tuple[Expression, ...]
    lambdas: tuple[Lambda, ...]


@dataclass(frozen=True, slots=True)
class Subquery(Expression):
    """A value that depends on a whole relation, at the instant the row is looked at."""

    plan: Operator


@dataclass(frozen=True, slots=True)
class Exists(Subquery):
    """true if the relation has a row, else false"""


@dataclass(frozen=True, slots=True)
class Scalar(Subquery):
    """the one value of the one row; NULL of none; of several, an error of the data"""


@dataclass(frozen=True, slots=True)
class Table(Subquery):
    """the rows of the relation; only in a dependent join"""


@dataclass(frozen=True, slots=True)
class Quantified(Subquery):
    """`x IN Q` is `x = ANY Q`; `x NOT IN Q` is `x <> ALL Q`.

    ANY is the disjunction, ALL the conjunction, over Q's rows y, of `x comparison y`, three-valued.
    """

    operands: tuple[Expression, ...]
    comparison: str
    """One of `eq ne lt le gt ge`, as in the function table."""
    every: bool


USER: Final = "user"
"""The function of an aggregation that is one of a user."""


@dataclass(frozen=True, slots=True)
class Aggregation(Part):
    """An aggregate function over the rows of a group: `COUNT(*)` has no argument.

    NULLs are left out; of what is left, `distinct` keeps one of each value. The argument of an aggregate of a
    `user`, whose function is `USER`, is a struct of what it is called with.
    """

    type: Type
    function: str
    argument: Expression | None = None
    distinct: bool = False
    origin: Span | None = field(default=None, compare=False, repr=False)
    user: UserFunction | None = None

    @property
    def name(self) -> str:
        """The name that it is called by."""
        return self.function if self.user is None else self.user.name


def column(name: str, type_: Type, origin: Span | None = None) -> Column:
    return Column(type_, name, origin=origin)


def conjunction(conditions: list[Expression]) -> Expression | None:
    """The conditions joined by AND; None for none of them."""
    if not conditions:
        return None
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = Call(BOOLEAN, "and", (joined, condition))
    return joined


def conjuncts(condition: Expression) -> list[Expression]:
    """The conditions that AND joins, left to right."""
    conditions: list[Expression] = []
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call) and part.function == "and":
            waiting += reversed(part.arguments)
        else:
            conditions.append(part)
    return conditions


def free_variables(expr: Expression) -> frozenset[str]:
    """The variables that no function in the expression has as a parameter."""
    match expr:
        case Variable(name=name):
            return frozenset((name,))
        case HigherCall():
            inside = (free_variables_of(one) for one in expr.lambdas)
            return frozenset[str]().union(*inside, *map(free_variables, expr.arguments))
    return frozenset[str]().union(*map(free_variables, expr.parts))


def free_variables_of(function: Lambda) -> frozenset[str]:
    """The variables of a function that are not its own."""
    return free_variables(function.body) - {one.name for one in function.parameters}


def changed(expr: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with each part that `change` has a value for replaced, from the top down."""
    value = change(expr)
    if value is not None:
        return value
    return rebuild(expr, Expression, lambda part: changed(part, change))
