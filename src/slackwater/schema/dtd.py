"""DTDs, read by lxml (libxml2): declarations become types, one for each element name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from lxml import etree

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Text
from slackwater.schema.content import EMPTY, Choice, Content, Repeat, Sequence, Symbol, written
from slackwater.schema.errors import ambiguous_content, bad_schema, external_schema, no_elements
from slackwater.schema.glushkov import ambiguity
from slackwater.schema.schema import UNKNOWN, Attribute, Kind, Schema, Type

_DECLARATION = re.compile(r"\A<\?xml\s[^>]*encoding[^>]*\?>")
"""What says how bytes are to be read is no help to a text."""
_OCCURS: dict[str, Callable[[Content], Content]] = {
    "once": lambda part: part,
    "opt": lambda part: Repeat(part, 0, 1),
    "mult": lambda part: Repeat(part, 0, None),
    "plus": lambda part: Repeat(part, 1, None),
}


def read_dtd(text: Text) -> Schema:
    """The schema of a DTD's text, as it stands in a file of its own."""
    asked: list[str] = []

    class OwnText(etree.Resolver):  # type: ignore[misc]  # lxml comes without types
        """Answers with the text, once; whatever else is asked for lies outside."""

        def resolve(self, url: str | None, public: str | None, context: object) -> object:
            asked.append(url or "")
            if len(asked) > 1:
                raise external_schema(text.name, url or "")
            return self.resolve_string(_DECLARATION.sub("", text.content), context)

    parser = etree.XMLParser(load_dtd=True, no_network=True, resolve_entities=False)
    parser.resolvers.add(OwnText())
    try:
        root = etree.fromstring(b'<!DOCTYPE x SYSTEM "x.dtd"><x/>', parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise bad_schema(text, line, column, _said(error)) from error
    return schema_of(root.getroottree().docinfo.externalDTD, text.name)


def read_internal_dtd(text: Text) -> Schema | None:
    """The schema that a document declares itself, in the internal subset of its DOCTYPE.

    `text` is the document up to its first tag.
    """
    parser = etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False)
    try:
        root = etree.fromstring((text.content + "<x/>").encode(), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise bad_schema(text, line, column, _said(error)) from error
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is None or not dtd.elements():
        return None
    schema = schema_of(dtd, text.name)
    return schema.with_roots([dtd.name]) if dtd.name in schema.roots else schema


def schema_of(dtd: etree.DTD | None, name: str) -> Schema:
    """The schema of declarations that lxml has read; nothing is known of an element that has none.

    A document may begin with an element that stands in no other or, where there is none, with any.
    """
    declared = [each for each in dtd.elements() if each.type != "undefined"] if dtd is not None else []
    if not declared:
        raise no_elements(name)
    types: dict[str, Type] = {}
    names = _by_local_name(map(_qname, declared))
    everything = Repeat(Choice(tuple(Symbol(_qname(each)) for each in declared)), 0, None)
    for each in declared:
        types[_qname(each)] = _type(each, names, everything, types.get)
    for child in [child for each in types.values() for child in each.names]:
        types.setdefault(child, UNKNOWN)
    used = {child for each in types.values() if each.kind is not Kind.ANY for child in each.names}
    own = [_qname(each) for each in declared]
    tops = [each for each in own if each not in used] or own
    return Schema(name, {each: types[each] for each in tops}, tuple(_notes(name, types.values())))


def _type(
    declared: etree._DTDElementDecl,
    names: Mapping[str, str],
    everything: Content,
    children: Callable[[str], Type | None],
) -> Type:
    name = _qname(declared)
    attributes = {each.name: each for each in map(_attribute, declared.iterattributes())}
    match declared.type:
        case "empty":
            return Type(name, Kind.EMPTY, EMPTY, attributes, None, children)
        case "any":
            return Type(name, Kind.ANY, everything, attributes, None, children)
        case "mixed":
            mixed = tuple(dict.fromkeys(_mixed(declared.content, names)))
            content = Repeat(Choice(tuple(map(Symbol, mixed))), 0, None) if mixed else EMPTY
            return Type(name, Kind.MIXED if mixed else Kind.TEXT, content, attributes, None, children)
    return Type(name, Kind.ELEMENTS, _content(declared.content, names), attributes, None, children)


def _content(declared: etree._DTDElementContentDecl, names: Mapping[str, str]) -> Content:
    """libxml2 keeps (a, b, c) as (a, (b, c)): an inner group that occurs once is part of the list."""
    if declared.type == "element":
        return _OCCURS[declared.occur](Symbol(names.get(declared.name, declared.name)))
    parts = [_content(each, names) for each in (declared.left, declared.right) if each is not None]
    kind = Sequence if declared.type == "seq" else Choice
    if isinstance(parts[-1], kind):
        parts[-1:] = parts[-1].parts
    return _OCCURS[declared.occur](kind(tuple(parts)) if len(parts) > 1 else parts[0])


def _mixed(declared: etree._DTDElementContentDecl | None, names: Mapping[str, str]) -> Iterable[str]:
    if declared is None or declared.type == "pcdata":
        return
    if declared.type == "element":
        yield names.get(declared.name, declared.name)
        return
    yield from _mixed(declared.left, names)
    yield from _mixed(declared.right, names)


def _qname(declared: etree._DTDElementDecl) -> str:
    return f"{declared.prefix}:{declared.name}" if declared.prefix else str(declared.name)


def _by_local_name(names: Iterable[str]) -> dict[str, str]:
    """lxml drops prefixes inside content models; a local name that is declared once tells its prefix."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition(":")[2], []).append(name)
    return {local: known[0] for local, known in found.items() if local not in known}


def _attribute(declared: etree._DTDAttributeDecl) -> Attribute:
    name = f"{declared.prefix}:{declared.name}" if declared.prefix else declared.name
    return Attribute(name, declared.default == "required", declared.default_value, declared.type.upper())


def _notes(name: str, types: Iterable[Type]) -> Iterable[Diagnostic]:
    for each in types:
        if each.kind is Kind.ELEMENTS and (symbol := ambiguity(each.content)) is not None:
            yield ambiguous_content(name, each.name, written(each.content), symbol)


def _said(error: etree.XMLSyntaxError) -> str:
    return str(error.msg).partition(", line ")[0]
