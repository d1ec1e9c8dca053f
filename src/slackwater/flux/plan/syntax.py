"""The syntax of FluX: XQuery with handlers of events, and what is kept for whom (sections 3.4.2, 3.7.3, 3.8).

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

A variable is *streamed* when `on`, or the document, binds it: it is a node that is being read. What is
bound by a loop inside `on-first` is *buffered*: a small tree with what a Projection keeps of the node. Every
variable is bound in one place only. Expressions are those of the language's syntax tree; their free variables
are streamed or buffered nodes, or lets.

When things happen in a scope `ProcessStream $x`, for a child c that leads the automaton to a new state:

* handlers are looked at in their order, and what they write must appear in that order;
* `On c` sees c from its start tag to its end tag;
* `OnFirst` fires once, when no child of `past` can come any more: at c's start tag, unless c is in `reads` or
  in `past`, or an `On` of c or an OnFirst that waits stands before it: then at c's end tag. `past = ∅` fires
  at $x's start tag, `past = EVERYTHING` at its end tag, and what has not fired before it fires there, too;
* attributes of $x are known from its start tag on, its text when it has ended, or piecewise, as children
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


# What is written: queries in normal form (sections 3.4.1, 3.5.1).


@dataclass(frozen=True, slots=True)
class Query:
    """What writes to the output."""


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
    """`<name a="…{e}…">`; attributes that come directly behind it belong to it.

    Names beginning with `xmlns` declare namespaces.
    """

    name: str
    attributes: tuple[ast.Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class EndTag(Query):
    name: str


@dataclass(frozen=True, slots=True)
class Boundary(Query):
    """The end of one `{ … }` and the beginning of the next: no space between their atomic values."""


@dataclass(frozen=True, slots=True)
class Copy(Query):
    """`{$x}`: the node, with all that is in it."""

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
    """`{ if (χ) then α }`; χ is taken by its effective boolean value."""

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
        return tuple(each.test for each in self.branches)


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
"""Every query there is, once."""


# When it is written: handlers (sections 3.4.2, 3.8.2.2).


@dataclass(frozen=True, slots=True)
class Handler:
    """What happens on an event while the children of a node are read."""


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
    """`on-first past(S) return α`: once, as soon as no child of S can come any more; α sees buffers only.

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
    """`on-window $y/a/…|window| as $w return αβγ`: windows that do not overlap, nothing of them kept.

    `before` is written when an item opens a window, `after` when the window is full or the last one is over;
    `copied` says that items are copied through in between. Conditions and aggregates over $w begin anew with
    every window.
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
    """`on-each past $y/a/…|window| as $w return α`: once per window, over the buffered items of it.

    The buffer of `variable` is what is kept of each item that takes part; `where` is decided at the end of an
    item, by accumulators and the buffer of `item`.
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
"""Every handler there is, once."""


@dataclass(frozen=True)
class Flux:
    """A FluX query: handlers, what is kept for every streamed variable, and what is computed on the fly.

    `inputs` names documents beside the streamed one by the variable that stands for each: they are read
    before the stream begins, and kept as their buffers say. `input` is how the query names the streamed
    document, if it does. `upward` says that it walks to parents, siblings or roots.
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
        """Whether anything of the streamed document is looked at; `1 + 1` does not."""
        before = all(isinstance(each, OnFirst) and not each.past for each in self.body.handlers)
        # A let that looks at the document has a buffer or an accumulator for it.
        kept = self.buffers or self.accumulators or self.folds
        return not before or bool(kept) or self.input is not None

    @property
    def functions(self) -> tuple[ast.FunctionDeclaration, ...]:
        return tuple(each for each in self.declarations if isinstance(each, ast.FunctionDeclaration))


def sequence(*parts: Query) -> Query:
    """The parts one after the other, without sequences in sequences; one alone is itself."""
    flat = tuple(each for part in parts for each in parts_of(part))
    return flat[0] if len(flat) == 1 else Sequence(flat)


def parts_of(query: Query) -> tuple[Query, ...]:
    return query.parts if isinstance(query, Sequence) else (query,)
