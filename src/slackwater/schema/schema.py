"""Schemas: the types of elements, their content and their context.

One name may have several types by context (XML Schema), so declarations are stored by type: a walk begins at
`schema.root(name)` or `schema.document` and continues with `type.child(name)`.
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
    """What an element may contain."""

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
    """A type of a DTD, or an XSD builtin such as `xs:integer`."""


@dataclass(eq=False)
class Type:
    """The content of an element; types are compared by identity.

    Children are looked up by name on demand, since types may contain themselves.
    """

    name: str
    kind: Kind
    content: Content = EMPTY
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    text: str | None = None
    """The XSD builtin of simple content, `xs:decimal`; none where the schema says only that it is text."""
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
"""The type of which nothing is known: any children, all of the same type."""

UNKNOWN_DOCUMENT = Type("the document", Kind.ELEMENTS, children=_unknown)
"""The type of a document of which nothing is known but that it has one root element."""


Spelling = Callable[[Mapping[str, str]], "Schema"]
"""Make the schema whose names have these prefixes, by namespace."""


@dataclass(frozen=True)
class Schema:
    """Types by the names of the possible root elements."""

    name: str
    roots: Mapping[str, Type]
    notes: tuple[Diagnostic, ...] = ()
    prefixes: Mapping[str, str] | None = None
    """Namespace -> the prefix of its names here; None where names are spelled as in the documents."""
    spelling: Spelling | None = field(default=None, compare=False, repr=False)

    @property
    def is_known(self) -> bool:
        return self is not NO_SCHEMA

    def root(self, name: str) -> Type | None:
        """The type of a root element of this name; None where no document has such a root."""
        return self.roots.get(name) if self.is_known else UNKNOWN

    @cached_property
    def document(self) -> Type:
        """The type of the document itself, whose only child is the root element."""
        if not self.is_known:
            return UNKNOWN_DOCUMENT
        content = Choice(tuple(map(Symbol, self.roots)))
        return Type("the document", Kind.ELEMENTS, content, children=self.roots.get)

    def with_roots(self, names: Iterable[str]) -> Schema:
        """The schema restricted to documents with one of these root elements."""
        return replace(self, roots={name: self.roots[name] for name in names})

    def spelled(self, prefixes: Mapping[str, str]) -> Schema:
        """The same schema with other prefixes in its names, if it has namespaces."""
        if self.spelling is None:
            return self
        schema = self.spelling(prefixes)
        roots = {name.rpartition(":")[2] for name in self.roots}
        matching = [name for name in schema.roots if name.rpartition(":")[2] in roots]
        return schema if len(matching) == len(schema.roots) else schema.with_roots(matching)


NO_SCHEMA = Schema("no schema", {})
"""The schema of all documents."""
