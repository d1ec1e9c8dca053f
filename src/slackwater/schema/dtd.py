"""DTDs: declarations become types, one for each element name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Text
from slackwater.schema import declarations
from slackwater.schema.content import Choice, Content, Repeat, Symbol, content_text
from slackwater.schema.declarations import Declarations
from slackwater.schema.errors import ambiguous_content, no_elements
from slackwater.schema.glushkov import ambiguity
from slackwater.schema.model import Model
from slackwater.schema.schema import UNKNOWN, Attribute, Kind, Schema, Type


def read_dtd(text: Text) -> Schema:
    """The schema of a DTD's text, as it stands in a file of its own."""
    declared = declarations.of_file(text)
    if not declared.models:
        raise no_elements(text.name)
    return _schema(text.name, declared)


def read_internal_dtd(text: Text) -> Schema | None:
    """The schema that a document declares itself, in the internal subset of its DOCTYPE.

    `text` is the document up to its first tag.
    """
    declared = declarations.of_document(text)
    if not declared.models:
        return None
    schema = _schema(text.name, declared)
    return schema.with_roots([declared.document]) if declared.document in schema.roots else schema


def _schema(name: str, declared: Declarations) -> Schema:
    """The schema of these declarations; nothing is known of an element that has none.

    A document may begin with an element that stands in no other or, where there is none, with any.
    """
    types: dict[str, Type] = {}
    everything = Repeat(Choice(tuple(map(Symbol, declared.models))), 0, None)
    for each, model in declared.models.items():
        types[each] = _type(model, declared.attributes.get(each, {}), everything, types.get)
    for child in [child for each in types.values() for child in each.names]:
        types.setdefault(child, UNKNOWN)
    used = {child for each in types.values() if each.kind is not Kind.ANY for child in each.names}
    tops = [each for each in declared.models if each not in used] or list(declared.models)
    return Schema(name, {each: types[each] for each in tops}, tuple(_notes(name, types.values())))


def _type(
    model: Model,
    attributes: dict[str, Attribute],
    everything: Content,
    children: Callable[[str], Type | None],
) -> Type:
    content = everything if model.kind is Kind.ANY else model.content
    return Type(model.name, model.kind, content, attributes, None, children)


def _notes(name: str, types: Iterable[Type]) -> Iterable[Diagnostic]:
    for each in types:
        if each.kind is Kind.ELEMENTS and (symbol := ambiguity(each.content)) is not None:
            yield ambiguous_content(name, each.name, content_text(each.content), symbol)
