"""XML Schema, read by the library `xmlschema`: each complex type is a type, whatever its elements are called.

Names are local names, until `Schema.spelled` adds prefixes. Open content (`xs:any`, `xs:anyType`, a type that
another extends) gets the type UNKNOWN.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import xmlschema
from xmlschema.exceptions import XMLResourceBlocked, XMLResourceParseError
from xmlschema.validators import XsdAnyElement, XsdAttribute, XsdComplexType, XsdElement, XsdGroup

from slackwater.base.span import Text
from slackwater.schema.content import EMPTY, Choice, Content, Interleave, Repeat, Sequence, Symbol
from slackwater.schema.errors import bad_schema, external_schema, no_elements, place, refused_schema
from slackwater.schema.paths import reachable
from slackwater.schema.schema import UNKNOWN, Attribute, Kind, Schema, Type

_KINDS = {
    (False, False): Kind.EMPTY,
    (False, True): Kind.ELEMENTS,
    (True, False): Kind.TEXT,
    (True, True): Kind.MIXED,
}
"""By whether content is mixed and whether there are children."""
_BUILTIN = "{http://www.w3.org/2001/XMLSchema}"


def read_xsd(text: Text, folder: Path | None = None) -> Schema:
    """The schema of an XML Schema's text; files that it includes must be in or below `folder`."""
    allow, base = ("sandbox", folder.absolute().as_uri() + "/") if folder else ("none", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", xmlschema.XMLSchemaIncludeWarning)
            warnings.simplefilter("error", xmlschema.XMLSchemaImportWarning)
            read = xmlschema.XMLSchema(text.content, base_url=base, allow=allow, defuse="always")
    except XMLResourceParseError as error:
        line, column = getattr(error.__cause__, "position", (1, 0))
        raise bad_schema(place(text, line, column + 1), "this is not well-formed XML") from error
    except (XMLResourceBlocked, xmlschema.XMLSchemaIncludeWarning, xmlschema.XMLSchemaImportWarning) as error:
        raise external_schema(text.name, _address(error)) from error
    except (xmlschema.XMLSchemaException, OSError) as error:
        raise refused_schema(text.name, _sentence(error)) from error
    if not read.elements:
        raise no_elements(text.name)
    elements = [element for element in read.elements.values() if not element.abstract]
    extended = _extended(read.maps.types.values())

    @cache
    def make_schema(pairs: frozenset[tuple[str, str]]) -> Schema:
        prefixes = dict(pairs)
        reader = _Reader(prefixes, extended)
        roots = {reader.name(element): reader.type_of(element) for element in elements}
        return Schema(text.name, roots, (), prefixes, spelled)

    def spelled(prefixes: Mapping[str, str]) -> Schema:
        return make_schema(frozenset(prefixes.items()))

    reader = _Reader({}, extended)
    types = [reader.type_of(element) for element in elements]
    for type_ in types:
        reachable(type_)
    return spelled(dict.fromkeys(reader.namespaces.union(map(_namespace, elements)), ""))


def _namespace(element: XsdElement) -> str:
    return str(element.name).removeprefix("{").rpartition("}")[0]


def _extended(types: Iterable[object]) -> frozenset[int]:
    """The types that others extend by elements: with `xsi:type`, an element of one may hold more."""
    bases: set[int] = set()
    for type_ in types:
        current = type_
        while isinstance(current, XsdComplexType) and isinstance(current.base_type, XsdComplexType):
            base = current.base_type
            if current.derivation == "extension" and _names(current) != _names(base):
                bases.add(id(base))
            current = base if base is not current else None
    return frozenset(bases)


def _names(declared: XsdComplexType) -> list[str]:
    group = declared.content
    return [str(element.name) for element in group.iter_elements()] if isinstance(group, XsdGroup) else []


class _Reader:
    """Types by the object that declares them, so that a recursive type is one type."""

    def __init__(self, prefixes: Mapping[str, str], extended: frozenset[int]) -> None:
        self.prefixes = prefixes
        self.extended = extended
        self.namespaces: set[str] = set()
        """The namespaces of all elements read so far."""
        self.types: dict[tuple[int, bool], Type] = {}
        self.declared: list[object] = []
        """The objects whose ids are keys, so that none is freed and its id used again."""

    def name(self, element: XsdElement) -> str:
        uri = _namespace(element)
        self.namespaces.add(uri)
        prefix = self.prefixes.get(uri)
        return f"{prefix}:{element.local_name}" if prefix else str(element.local_name)

    def type_of(self, element: XsdElement) -> Type:
        declared = element.type
        is_shared = declared.is_complex() or declared.name is not None
        key = (id(declared if is_shared else element), element.nillable)
        if key not in self.types:
            self.declared += [declared, element]
            self.types[key] = self._make_type(element)
        return self.types[key]

    def _make_type(self, element: XsdElement) -> Type:
        declared = element.type
        attributes = dict(_attributes(element))
        name = declared.local_name or element.local_name or "?"
        group = declared.content if isinstance(declared, XsdComplexType) else None
        if not isinstance(group, XsdGroup):
            return Type(name, Kind.TEXT, EMPTY, attributes, _builtin(declared))
        if any(isinstance(child, XsdAnyElement) for child in group.iter_elements()):
            return UNKNOWN
        if id(declared) in self.extended:
            return UNKNOWN
        elements = {self.name(child): child for child in _elements(group)}
        content = self._content(group)
        if element.nillable:
            content = Repeat(content, 0, 1)
        kind = _KINDS[bool(getattr(declared, "mixed", False)), bool(elements)]

        def child(name: str) -> Type | None:
            return self.type_of(elements[name]) if name in elements else None

        return Type(name, kind, content, attributes, None, child)

    def _content(self, particle: XsdGroup | XsdElement) -> Content:
        if isinstance(particle, XsdElement):
            names = tuple(dict.fromkeys(map(self.name, _substitutes(particle))))
            only = Symbol(names[0]) if len(names) == 1 else Choice(tuple(map(Symbol, names)))
            return _counted(only, particle)
        parts = tuple(
            self._content(part)
            for part in particle
            if part.max_occurs != 0 and not isinstance(part, XsdAnyElement)
        )
        if particle.model == "all":
            plain = tuple(part for part in map(_plain, parts) if part is not None)
            return Interleave(plain) if len(plain) == len(parts) else Repeat(Choice(parts), 0, None)
        kind = Choice if particle.model == "choice" else Sequence
        if kind is Choice and not parts:
            return EMPTY
        return _counted(parts[0] if len(parts) == 1 else kind(parts), particle)


def _elements(group: XsdGroup) -> Iterator[XsdElement]:
    for element in group.iter_elements():
        if isinstance(element, XsdElement):
            yield from _substitutes(element)


def _substitutes(element: XsdElement) -> list[XsdElement]:
    """The element and its substitution group, without abstract elements."""
    candidates = [element, *element.iter_substitutes()]
    return [candidate for candidate in candidates if not candidate.abstract]


def _counted(content: Content, particle: XsdGroup | XsdElement) -> Content:
    low, high = particle.min_occurs, particle.max_occurs
    return content if low == high == 1 else Repeat(content, low, high)


def _plain(part: Content) -> Symbol | Repeat | None:
    """The part, if it is a symbol or a repeated symbol."""
    if isinstance(part, Symbol) or (isinstance(part, Repeat) and isinstance(part.part, Symbol)):
        return part
    return None


def _attributes(element: XsdElement) -> Iterator[tuple[str, Attribute]]:
    for attribute in element.attributes.values():
        if isinstance(attribute, XsdAttribute) and attribute.use != "prohibited":
            name = str(attribute.local_name)
            default = attribute.default if attribute.default is not None else attribute.fixed
            yield (
                name,
                Attribute(
                    name, attribute.use == "required", default, _builtin(attribute.type) or "xs:string"
                ),
            )


def _builtin(declared: object) -> str | None:
    """The builtin that a simple type, or simple content, is or derives from: `xs:integer`."""
    current = getattr(declared, "simple_type", None) or declared
    while current is not None:
        name = getattr(current, "name", None)
        if name and name.startswith(_BUILTIN):
            return f"xs:{name.removeprefix(_BUILTIN)}"
        current = getattr(current, "base_type", None)
    return None


def _address(error: BaseException) -> str:
    """The last address in the library's message."""
    addresses: list[str] = re.findall(r"\w+:[^\s'\]]+|\S+\.xsd", str(error))
    return addresses[-1].rstrip(".") if addresses else str(error)


def _sentence(error: BaseException) -> str:
    message = str(getattr(error, "message", None) or error).strip().splitlines()[0]
    return (
        f"{message[0].upper()}{message[1:].rstrip('.:')}." if message else "It breaks a rule of XML Schema."
    )
