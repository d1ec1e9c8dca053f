"""Variables, inputs, sequences, steps and paths; types of sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from slackwater.language.xquery.syntax.nodes import Expr, Node

Axis: TypeAlias = OneOf[
    "child", "descendant", "descendant-or-self", "attribute", "self", "parent", "ancestor",
    "ancestor-or-self", "following-sibling", "preceding-sibling", "following", "preceding",
]  # fmt: skip
Kind: TypeAlias = OneOf[
    "node", "text", "element", "attribute", "document-node", "comment", "processing-instruction"
]


@dataclass(frozen=True, slots=True)
class Variable(Expr):
    """`$name`; `$ROOT` is the document of the query's input."""

    name: str


@dataclass(frozen=True, slots=True)
class ContextItem(Expr):
    """`.`, which also begins every relative path."""


@dataclass(frozen=True, slots=True)
class Root(Expr):
    """`/`: the root of the tree that holds the context item."""


@dataclass(frozen=True, slots=True)
class Input(Expr):
    """`stream("name")` or `doc("name")`: the document node of a named input."""

    kind: OneOf["stream", "doc"]
    name: str


@dataclass(frozen=True, slots=True)
class Sequence(Expr):
    """`(a, b, …)`; `()` is empty. One item alone is that item, never a Sequence."""

    items: tuple[Expr, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) == 1:
            raise ValueError("a sequence of one expression is that expression")


@dataclass(frozen=True, slots=True)
class NameTest(Node):
    """An element or attribute of this name: `a`, `p:a`, `*`, `p:*` or `*:a`."""

    name: str


@dataclass(frozen=True, slots=True)
class KindTest(Node):
    """`text()`, `node()`, `element(a)`: a kind of node, perhaps with a name."""

    kind: Kind
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Step(Node):
    """`axis::test[predicate]…`"""

    axis: Axis
    test: NameTest | KindTest
    predicates: tuple[Expr, ...] = ()


DOUBLE_SLASH = Step("descendant-or-self", KindTest("node"))
"""The step that `//` between two steps stands for."""


@dataclass(frozen=True, slots=True)
class ExprStep(Node):
    """A step that is an expression, evaluated for each node before it: `a/string()`, `a/(b | c)`."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Path(Expr):
    """`source/step/step…`, in document order without duplicates."""

    source: Expr
    steps: tuple[Step | ExprStep, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise ValueError("a path has steps")


@dataclass(frozen=True, slots=True)
class Filter(Expr):
    """`source[predicate]…` where source is no step: `$x[1]`, `(a/b)[last()]`."""

    source: Expr
    predicates: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SequenceType(Node):
    """A type as it is written, `xs:integer` or `element(a)`, and its occurrence: `?`, `*`, `+` or none."""

    item: str
    occurrence: str = ""
