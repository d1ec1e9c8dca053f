"""The syntax of FluX: XQuery with handlers of events, and their state (sections 3.4.2, 3.7.3, 3.8).

    { ps $bib:
      on book as $b return
        { ps $b:
          on title as $t return {$t};
          on-first past(title, author) return
            { for $a in $b/author return {$a} }; }; }

    ProcessStream bib
      On book, b
        ProcessStream b
          On title, t -> ProcessStream t [CopyThrough]
          OnFirst {title, author} -> Loop over $b/author, a -> Copy a

A variable is *streamed* where `on`, or the document, binds it: it is a node that is being read. A variable
of a loop inside `on-first` is *buffered*: a tree with the part of the node that a Projection selects. Every
variable is bound in one place only. Expressions are those of the language's syntax tree; their free variables
are streamed or buffered nodes, or lets.

When handlers run in a scope `ProcessStream $x`, for a child c that leads the automaton to a new state:

* handlers run in their order, so that their output is in that order;
* `On c` runs from c's start tag to its end tag;
* `OnFirst` fires once, when no child of `past` can follow: at c's start tag, unless c is in `reads` or in
  `past`, or an `On` of c or an OnFirst that waits is before it: then at c's end tag. `past = ∅` fires at $x's
  start tag, `past = EVERYTHING` at its end tag, and so does what has not fired earlier;
* attributes of $x are known from its start tag on, its text at its end tag, or piecewise, as children
  `#text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from slackwater.base.tree import Part
from slackwater.flux.plan.state import Accumulator, Fold, Let, Projection
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, TEXT, Schema, Type

Past: TypeAlias = frozenset[str]
"""Names of children; `#text` stands for character content."""
EVERYTHING: Past = frozenset({"*"})
"""All children and all text: past(*), which is the end tag."""
NOTHING: Past = frozenset()
ROOT = "ROOT"
"""The variable of the document."""


@dataclass(frozen=True, slots=True)
class Test:
    """Which children a step takes: elements of a name, `*` for every element, `#text` for text nodes."""

    name: str

    def __str__(self) -> str:
        return "text()" if self.name == TEXT else self.name


# Queries in normal form: what is written (sections 3.4.1, 3.5.1).


@dataclass(frozen=True, slots=True)
class Query:
    """An expression that writes to the output."""


@dataclass(frozen=True, slots=True)
class Sequence(Query):
    """α β …; none is ε."""

    parts: tuple[Query, ...] = ()


@dataclass(frozen=True, slots=True)
class Text(Query):
    """Characters of a constructor: a text node."""

    text: str


@dataclass(frozen=True, slots=True)
class StartTag(Query):
    """`<name a="…{e}…">`; attributes that follow directly belong to it.

    Names beginning with `xmlns` declare namespaces.
    """

    name: str
    attributes: tuple[ast.Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class EndTag(Query):
    name: str


@dataclass(frozen=True, slots=True)
class Boundary(Query):
    """Between one `{ … }` and the next: no space separates their atomic values."""


@dataclass(frozen=True, slots=True)
class Copy(Query):
    """`{$x}`: the node with its content."""

    variable: str


@dataclass(frozen=True, slots=True)
class Value(Query):
    """`{e}`: the items of an expression; atomic values side by side are separated by a space."""

    expr: ast.Expr


@dataclass(frozen=True, slots=True)
class Feed(Query):
    """Adds items to a fold, and writes nothing; `value` is None where only their number counts (one item)."""

    fold: ast.Call
    value: ast.Expr | None


@dataclass(frozen=True, slots=True)
class If(Query):
    """`{ if (χ) then α }`, by the effective boolean value of χ."""

    condition: ast.Expr
    body: Query


@dataclass(frozen=True, slots=True)
class Branch(Part):
    """The nodes of a loop that pass a test, each bound to the variable."""

    test: Test
    variable: str
    body: Query


@dataclass(frozen=True, slots=True)
class Loop(Query):
    """`{ for $x in $y/a return α }`: one step below a variable.

    With several branches, the nodes come in document order, and each runs the one branch that it passes.
    """

    source: str
    branches: tuple[Branch, ...]

    @property
    def tests(self) -> tuple[Test, ...]:
        return tuple(branch.test for branch in self.branches)


@dataclass(frozen=True, slots=True)
class For(Query):
    """`{ for $x at $i in e return α }`, e being any expression: its items are buffered nodes, or values."""

    variable: str
    source: ast.Expr
    body: Query
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Windowed(Query):
    """`{ for $w in $y/a/…|window| return α }`: $w is the sequence of the items of a window.

    Only items for which `where` holds, with `item` bound to them, take part.
    """

    variable: str
    source: str
    path: tuple[Test, ...]
    window: ast.Window
    body: Query
    item: str
    where: ast.Expr | None = None


QUERIES: tuple[type[Query], ...] = (
    Sequence, Text, StartTag, EndTag, Boundary, Copy, Value, Feed, If, Loop, For, Windowed,
)  # fmt: skip
"""Every kind of query."""


# Handlers: when it is written (sections 3.4.2, 3.8.2.2).


@dataclass(frozen=True, slots=True)
class Handler:
    """What runs on an event while the children of a node are read."""


@dataclass(frozen=True, slots=True)
class On(Handler):
    """`on a as $x return Q`: for every child of that name, while it is read; `*` is every element.

    One that continues is a further branch of the loop that the handler before it comes from.
    """

    name: str
    variable: str
    body: ProcessStream
    continues: bool = False


@dataclass(frozen=True, slots=True)
class OnFirst(Handler):
    """`on-first past(S) return α`: once, as soon as no child of S can follow; α reads buffers only.

    `reads` are the children of the scope's node that α reads, all of them past by then.
    """

    past: Past
    body: Query
    reads: Past = NOTHING


@dataclass(frozen=True, slots=True)
class CopyThrough(Handler):
    """`{$x}` while $x is read, from its start tag to its end tag, if the condition holds at its start tag."""

    condition: ast.Expr | None = None


@dataclass(frozen=True, slots=True)
class OnWindow(Handler):
    """`on-window $y/a/…|window| as $w return αβγ`: windows that do not overlap, without a buffer.

    `before` is written when an item opens a window, `after` when the window is full or at the end of the last
    one; with `copied`, items are copied in between. Conditions and aggregates over $w are reset with every
    window.
    """

    variable: str
    path: tuple[Test, ...]
    window: ast.CountWindow
    before: Query
    after: Query
    copied: bool = False
    item: str = ""
    where: ast.Expr | None = None


@dataclass(frozen=True, slots=True)
class OnEach(Handler):
    """`on-each past $y/a/…|window| as $w return α`: once per window, over its buffered items.

    The projection of `variable` is what is buffered of each item that takes part; `where` is evaluated at the
    end of an item, from accumulators and the buffer of `item`.
    """

    variable: str
    path: tuple[Test, ...]
    window: ast.Window
    body: Query
    item: str = ""
    where: ast.Expr | None = None


@dataclass(frozen=True, slots=True)
class ProcessStream:
    """`{ ps $x: ζ }`: reads the children of the node bound to $x; `simple` ones are printed without `ps`."""

    variable: str
    type: Type = field(repr=False)
    handlers: tuple[Handler, ...]
    simple: bool = False


HANDLERS: tuple[type[Handler], ...] = (On, OnFirst, CopyThrough, OnWindow, OnEach)
"""Every kind of handler."""


@dataclass(frozen=True)
class Flux:
    """A FluX query: handlers, the buffers of its streamed variables, and what is computed on the fly.

    `inputs` names documents beside the streamed one by the variable that stands for each: they are read
    before the stream begins, into their buffers. `input` is the query's name for the streamed document, if it
    has one. `upward`: the query walks to parents, siblings or roots.
    """

    body: ProcessStream
    buffers: Mapping[str, Projection] = field(default_factory=dict)
    accumulators: tuple[Accumulator, ...] = ()
    folds: tuple[Fold, ...] = ()
    lets: tuple[Let, ...] = ()
    input: ast.Input | None = None
    inputs: Mapping[str, ast.Input] = field(default_factory=dict)
    declarations: tuple[ast.Declaration, ...] = ()
    schema: Schema = NO_SCHEMA
    upward: bool = True

    @property
    def is_reading(self) -> bool:
        """Whether the query reads anything of the streamed document; `1 + 1` does not."""
        before = all(isinstance(handler, OnFirst) and not handler.past for handler in self.body.handlers)
        # A let that reads the document has a buffer or an accumulator for it.
        state = self.buffers or self.accumulators or self.folds
        return not before or bool(state) or self.input is not None

    @property
    def functions(self) -> tuple[ast.FunctionDeclaration, ...]:
        return tuple(
            declaration
            for declaration in self.declarations
            if isinstance(declaration, ast.FunctionDeclaration)
        )


def sequence(*parts: Query) -> Query:
    """The parts as one query: nested sequences are flattened, and a single part is returned as it is."""
    flat = tuple(inner for part in parts for inner in parts_of(part))
    return flat[0] if len(flat) == 1 else Sequence(flat)


def parts_of(query: Query) -> tuple[Query, ...]:
    return query.parts if isinstance(query, Sequence) else (query,)
