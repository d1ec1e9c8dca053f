"""DTDs: from declarations to types, one for each element name."""

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
    """The schema of a DTD in a file of its own."""
    declared = declarations.read_file(text)
    if not declared.models:
        raise no_elements(text.name)
    return _schema(text.name, declared)


def read_internal_dtd(text: Text) -> Schema | None:
    """The schema in the internal subset of a document's DOCTYPE; none if it declares no elements.

    `text` is the document up to its first tag.
    """
    declared = declarations.read_document(text)
    if not declared.models:
        return None
    schema = _schema(text.name, declared)
    return schema.with_roots([declared.document]) if declared.document in schema.roots else schema


def _schema(name: str, declared: Declarations) -> Schema:
    """The schema of these declarations; an element without one gets the type UNKNOWN.

    Root elements are those that occur in no other element or, if there are none, all of them.
    """
    types: dict[str, Type] = {}
    everything = Repeat(Choice(tuple(map(Symbol, declared.models))), 0, None)
    for element, model in declared.models.items():
        types[element] = _type(model, declared.attributes.get(element, {}), everything, types.get)
    for child in [child for type_ in types.values() for child in type_.names]:
        types.setdefault(child, UNKNOWN)
    used = {child for type_ in types.values() if type_.kind is not Kind.ANY for child in type_.names}
    tops = [element for element in declared.models if element not in used] or list(declared.models)
    return Schema(name, {element: types[element] for element in tops}, tuple(_notes(name, types.values())))


def _type(
    model: Model,
    attributes: dict[str, Attribute],
    everything: Content,
    children: Callable[[str], Type | None],
) -> Type:
    content = everything if model.kind is Kind.ANY else model.content
    return Type(model.name, model.kind, content, attributes, None, children)


def _notes(name: str, types: Iterable[Type]) -> Iterable[Diagnostic]:
    for type_ in types:
        if type_.kind is Kind.ELEMENTS and (symbol := ambiguity(type_.content)) is not None:
            yield ambiguous_content(name, type_.name, content_text(type_.content), symbol)
