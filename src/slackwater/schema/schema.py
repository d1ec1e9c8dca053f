"""Schemas: types of elements, what each may hold, and where they stand.

One name may have several types by context (XML Schema), so declarations are kept by type: a walk begins at
`schema.root(name)` or `schema.document` and goes on with `type.child(name)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from slackwater.base.diagnostic import Diagnostic
from slackwater.schema import glushkov
from slackwater.schema.automaton import NOTHING_KNOWN, ONE_OF_ANYTHING, Automaton
from slackwater.schema.content import EMPTY, Choice, Content, Symbol, content_text, symbols


class Kind(StrEnum):
    """What may stand between the tags of an element."""

    EMPTY = "EMPTY"
    TEXT = "text"
    ELEMENTS = "elements"
    MIXED = "mixed"
    ANY = "ANY"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that an element may, or must, have."""

    name: str
    required: bool = False
    default: str | None = None
    type: str = "CDATA"
    """What a DTD calls it, or an XSD builtin such as `xs:integer`."""


@dataclass(eq=False)
class Type:
    """What an element may hold; two types are the same when they are one object.

    Children are given by name and looked up when asked for, since types may hold themselves.
    """

    name: str
    kind: Kind
    content: Content = EMPTY
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    text: str | None = None
    """The XSD builtin of simple content, `xs:decimal`; none where a schema says no more than text."""
    children: Callable[[str], Type | None] = field(default=lambda _: None, repr=False)

    def child(self, name: str) -> Type | None:
        """The type of a child of this name; none where there can be no such child."""
        return self.children(name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names that children may have; none are listed where nothing is known."""
        return symbols(self.content)

    @cached_property
    def automaton(self) -> Automaton:
        if not self.is_known:
            return NOTHING_KNOWN if self is UNKNOWN else ONE_OF_ANYTHING
        return glushkov.automaton(self.content, mixed=self.has_text)

    @property
    def has_text(self) -> bool:
        """There may be character content other than white space between the children."""
        return self.kind in (Kind.TEXT, Kind.MIXED, Kind.ANY)

    @property
    def is_known(self) -> bool:
        return self is not UNKNOWN and self is not UNKNOWN_DOCUMENT

    def __str__(self) -> str:
        match self.kind:
            case Kind.ELEMENTS:
                model = content_text(self.content)
                return model if model.startswith("(") else f"({model})"
            case Kind.MIXED:
                return f"({' | '.join(('#PCDATA', *self.names))})*"
            case Kind.TEXT:
                return f"({self.text or '#PCDATA'})"
        return self.kind.value


def _unknown(name: str) -> Type:
    return UNKNOWN


UNKNOWN = Type("*", Kind.ANY, children=_unknown)
"""The type of which nothing is known: any children, of which nothing is known either."""

UNKNOWN_DOCUMENT = Type("the document", Kind.ELEMENTS, children=_unknown)
"""The type of a document of which nothing is known but that it has one root element."""


Spelling = Callable[[Mapping[str, str]], "Schema"]
"""Gives a schema whose names have these prefixes, by their namespaces."""


@dataclass(frozen=True)
class Schema:
    """Types by the names of the elements that a document may begin with."""

    name: str
    roots: Mapping[str, Type]
    notes: tuple[Diagnostic, ...] = ()
    prefixes: Mapping[str, str] | None = None
    """Namespace -> the prefix that its names have here; none where names are as documents write them."""
    spelling: Spelling | None = field(default=None, compare=False, repr=False)

    @property
    def is_known(self) -> bool:
        return self is not NO_SCHEMA

    def root(self, name: str) -> Type | None:
        """The type of a root element of this name; none where no document begins so."""
        return self.roots.get(name) if self.is_known else UNKNOWN

    @cached_property
    def document(self) -> Type:
        """The type of the document itself, whose only child is the root element."""
        if not self.is_known:
            return UNKNOWN_DOCUMENT
        content = Choice(tuple(map(Symbol, self.roots)))
        return Type("the document", Kind.ELEMENTS, content, children=self.roots.get)

    def with_roots(self, names: Iterable[str]) -> Schema:
        """The schema of those documents that begin with one of these elements."""
        return replace(self, roots={name: self.roots[name] for name in names})

    def spelled(self, prefixes: Mapping[str, str]) -> Schema:
        """The same schema with other prefixes in its names, where it knows namespaces."""
        if self.spelling is None:
            return self
        found = self.spelling(prefixes)
        wanted = {name.rpartition(":")[2] for name in self.roots}
        left = [name for name in found.roots if name.rpartition(":")[2] in wanted]
        return found if len(left) == len(found.roots) else found.with_roots(left)


NO_SCHEMA = Schema("no schema", {})
"""The schema of all documents."""
