"""Literals, conditions, operators and calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal as OneOf

from slackwater.language.xquery.syntax.nodes import Expr
from slackwater.language.xquery.syntax.paths import Sequence, SequenceType

GENERAL = ("=", "!=", "<", "<=", ">", ">=")
VALUE = ("eq", "ne", "lt", "le", "gt", "ge")
NODE = ("is", "<<", ">>")
ARITHMETIC = ("+", "-", "*", "div", "idiv", "mod")
SETS = ("union", "intersect", "except")


@dataclass(frozen=True, slots=True)
class String(Expr):
    value: str


@dataclass(frozen=True, slots=True)
class Integer(Expr):
    value: int


@dataclass(frozen=True, slots=True)
class Fixed(Expr):
    """A decimal: `1.50`."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Double(Expr):
    """A double: `1.5e0`."""

    value: float


@dataclass(frozen=True, slots=True)
class If(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr = field(default_factory=Sequence)


@dataclass(frozen=True, slots=True)
class Logical(Expr):
    """`and`, `or`."""

    op: OneOf["and", "or"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """A comparison: GENERAL (some pair compares), VALUE (one with one), NODE (identity and order)."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Arithmetic(Expr):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`-a`, `+a`."""

    op: OneOf["-", "+"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Range(Expr):
    """`left to right`."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class SetOperation(Expr):
    """`union` (also written `|`), `intersect`, `except`: nodes in document order."""

    op: OneOf["union", "intersect", "except"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Typed(Expr):
    """`cast as`, `castable as`, `treat as`, `instance of`."""

    op: OneOf["cast", "castable", "treat", "instance"]
    operand: Expr
    type: SequenceType


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """`name(arguments)`; a function of XQuery is named without `fn:`."""

    name: str
    arguments: tuple[Expr, ...] = ()
