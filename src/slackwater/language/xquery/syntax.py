"""The syntax tree of XQuery: one small record per construct, equal when it says the same.

    for $b in /bib/book[@year > 1991] return <t>{ $b/title }</t>

    Flwor
      For b in Path(Root, child::book of child::bib, [Compare >])
      Element t
        Path($b, child::title)

Braces, parentheses and abbreviations leave no trace: `@a` is a step of the attribute axis, `//` a step
`descendant-or-self::node()`, `fn:count` is `count`, `if` without `else` gives the empty sequence.
Names are written as in the query, `prefix:local`. A window (thesis 3.8.2) belongs to its `for`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from slackwater.base import tree
from slackwater.base.span import Span

Axis: TypeAlias = OneOf[
    "child", "descendant", "descendant-or-self", "attribute", "self", "parent", "ancestor",
    "ancestor-or-self", "following-sibling", "preceding-sibling", "following", "preceding",
]  # fmt: skip
Kind: TypeAlias = OneOf[
    "node", "text", "element", "attribute", "document-node", "comment", "processing-instruction"
]

GENERAL = ("=", "!=", "<", "<=", ">", ">=")
VALUE = ("eq", "ne", "lt", "le", "gt", "ge")
NODE = ("is", "<<", ">>")
ARITHMETIC = ("+", "-", "*", "div", "idiv", "mod")
SETS = ("union", "intersect", "except")


@dataclass(frozen=True, slots=True)
class Node:
    """Anything in the tree; where it stands in the text takes no part in equality."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Expr(Node):
    """What has a value: a sequence of items."""


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


@dataclass(frozen=True, slots=True)
class CountWindow(Node):
    """`|count size step slide|`: windows of `size` items, each `slide` items after the one before."""

    size: int
    slide: int


@dataclass(frozen=True, slots=True)
class DiffWindow(Node):
    """`|reference diff size step slide|`: items whose reference differs by less than `size`."""

    reference: tuple[Step, ...]
    size: Decimal
    slide: Decimal


Window: TypeAlias = CountWindow | DiffWindow


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for $variable at $at in source`, or over the windows of source."""

    variable: str
    source: Expr
    at: str | None = None
    window: Window | None = None
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Let(Node):
    variable: str
    value: Expr
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Where(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class OrderKey(Node):
    """`key descending empty greatest`; `empty_greatest` is None where the query leaves it open."""

    key: Expr
    descending: bool = False
    empty_greatest: bool | None = None


@dataclass(frozen=True, slots=True)
class OrderBy(Node):
    keys: tuple[OrderKey, ...]
    stable: bool = False


Clause: TypeAlias = For | Let | Where | OrderBy


@dataclass(frozen=True, slots=True)
class Flwor(Expr):
    """Clauses in their order, the first a For or a Let; `for $a in x, $b in y` is two clauses."""

    clauses: tuple[Clause, ...]
    result: Expr

    def __post_init__(self) -> None:
        if not self.clauses or not isinstance(self.clauses[0], For | Let):
            raise ValueError("a FLWOR expression begins with for or let")


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """`$variable as type in source` of a quantified expression."""

    variable: str
    source: Expr
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Quantified(Expr):
    kind: OneOf["some", "every"]
    bindings: tuple[Binding, ...]
    condition: Expr


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


@dataclass(frozen=True, slots=True)
class Characters(Expr):
    """Text in a direct constructor, references resolved and boundary white space gone."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`name="text{expr}"` in a start tag; each expression is one enclosed expression."""

    name: str
    content: tuple[Expr, ...] = ()

    @property
    def constant(self) -> str | None:
        """The value, where no expression is in it."""
        texts = [each.text for each in self.content if isinstance(each, Characters)]
        return "".join(texts) if len(texts) == len(self.content) else None


@dataclass(frozen=True, slots=True)
class Element(Expr):
    """`<name …>content</name>`: Characters, and an expression for each `{ … }` or nested constructor."""

    name: str
    attributes: tuple[Attribute, ...] = ()
    content: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment(Expr):
    """`<!-- text -->`"""

    text: str


@dataclass(frozen=True, slots=True)
class ProcessingInstruction(Expr):
    """`<?target text?>`"""

    target: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Computed(Expr):
    """`element {name} {content}` and so on; a constant name is a String, text and document have none."""

    kind: OneOf["element", "attribute", "text", "document", "comment"]
    name: Expr | None
    content: Expr

    def __post_init__(self) -> None:
        if (self.name is not None) != (self.kind in ("element", "attribute")):
            raise ValueError("an element and an attribute have a name, and nothing else has")


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    name: str
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class FunctionDeclaration(Node):
    """`declare function name(parameters) as result { body }`; no body means external."""

    name: str
    parameters: tuple[Parameter, ...]
    result: SequenceType | None
    body: Expr | None


@dataclass(frozen=True, slots=True)
class VariableDeclaration(Node):
    """`declare variable $name := value`; no value means external."""

    name: str
    type: SequenceType | None
    value: Expr | None


@dataclass(frozen=True, slots=True)
class NamespaceDeclaration(Node):
    """`declare namespace prefix = "uri"`."""

    prefix: str
    uri: str


@dataclass(frozen=True, slots=True)
class DefaultNamespace(Node):
    """`declare default element namespace "uri"`."""

    kind: OneOf["element", "function"]
    uri: str


@dataclass(frozen=True, slots=True)
class BoundarySpace(Node):
    """`declare boundary-space preserve`, already obeyed by what is in the tree."""

    preserve: bool


@dataclass(frozen=True, slots=True)
class EmptyOrder(Node):
    """`declare default order empty greatest`."""

    greatest: bool


Declaration: TypeAlias = (
    FunctionDeclaration
    | VariableDeclaration
    | NamespaceDeclaration
    | DefaultNamespace
    | BoundarySpace
    | EmptyOrder
)


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A whole query."""

    body: Expr
    declarations: tuple[Declaration, ...] = ()

    @property
    def functions(self) -> tuple[FunctionDeclaration, ...]:
        return tuple(each for each in self.declarations if isinstance(each, FunctionDeclaration))


EXPRESSIONS: tuple[type[Expr], ...] = (
    String, Integer, Fixed, Double, Variable, ContextItem, Root, Input, Sequence, Path, Filter, Flwor,
    Quantified, If, Logical, Compare, Arithmetic, Unary, Range, SetOperation, Typed, Call, Characters,
    Element, Comment, ProcessingInstruction, Computed,
)  # fmt: skip
"""Every expression there is, once."""


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below, in the order of the text."""
    return tree.children(node, Node)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, a parent before its children."""
    return tree.walk(node, children)
