"""What is kept while a stream is read: projections, accumulators, folds, lets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from slackwater.language.xquery import syntax as ast


@dataclass(frozen=True, slots=True)
class Projection:
    """What a buffer keeps of a node (section 3.7.3); the node itself is always there.

    * `whole`: everything in it, and then the rest says nothing;
    * `attributes`: those of these names, `*` for all;
    * `value`: its string value: text at any depth, elements that are not kept dissolve into it;
    * `text`: the text nodes directly in it;
    * `children`: elements directly in it by name (`*`: all others), and what is kept of each;
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
        """Nothing is kept but the node."""
        return self == BARE


BARE = Projection()
WHOLE = Projection(whole=True)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A condition or aggregate over a path below a streamed node, computed while the path is read.

    `expr` is the expression as it stands in queries and conditions: wherever an equal one stands, its value
    is this accumulator's. `function` is one that accumulates, or `compare`: `$x/steps op constant`, true once
    some node compares. It begins anew whenever `variable` is bound (for a window: whenever a window begins).
    """

    variable: str
    expr: ast.Expr
    function: str
    steps: tuple[ast.Step, ...]
    op: str = ""
    constant: ast.Expr | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate over what handlers feed it, in the scope of a streamed variable; found by `expr`, too."""

    variable: str
    expr: ast.Call


Depends: TypeAlias = Mapping[str, frozenset[str]]
"""By let, the variables that its value looks at, itself or by other lets."""


@dataclass(frozen=True, slots=True)
class Let:
    """A value computed when it is first asked for, and kept until the variable of its scope is bound anew."""

    variable: str
    value: ast.Expr
    scope: str
