"""The state of a query while a stream is read: projections, accumulators, folds, lets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from slackwater.language.xquery import syntax as ast


@dataclass(frozen=True, slots=True)
class Projection:
    """What a buffer holds of a node (section 3.7.3), beside the node itself.

    * `whole`: all of its content; the other fields then do not matter;
    * `attributes`: those of these names, `*` for all;
    * `value`: its string value: text at any depth, without the elements around it that are not buffered;
    * `text`: the text nodes directly in it;
    * `children`: elements directly in it by name (`*`: all others), with the projection of each;
    * `below`: elements at any depth in it.
    """

    attributes: frozenset[str] = frozenset()
    value: bool = False
    text: bool = False
    whole: bool = False
    children: tuple[tuple[str, Projection], ...] = ()
    below: tuple[tuple[str, Projection], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Only the node itself is buffered."""
        return self == BARE


BARE = Projection()
WHOLE = Projection(whole=True)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A condition or aggregate over a path below a streamed node, computed while the path is read.

    `expr` is the expression as queries and conditions have it: the value of every equal one is this
    accumulator's. `function` is an aggregate function, or `compare`: `$x/steps op constant`, true once some
    node compares. It is reset whenever `variable` is bound (for a window: whenever a window begins).
    """

    variable: str
    expr: ast.Expr
    function: str
    steps: tuple[ast.Step, ...]
    op: str = ""
    constant: ast.Expr | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate over the items of `Feed`s with the same `expr`, in the scope of a streamed variable."""

    variable: str
    expr: ast.Call


Depends: TypeAlias = Mapping[str, frozenset[str]]
"""By let, the variables that its value depends on, directly or through other lets."""


@dataclass(frozen=True, slots=True)
class Let:
    """A value that is computed on first use, and cached until the variable of its scope is bound again."""

    variable: str
    value: ast.Expr
    scope: str
