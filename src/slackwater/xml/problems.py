"""What can be wrong with an XML document."""

from __future__ import annotations

from dataclasses import replace

from slackwater.base.problem import Problem

UNREADABLE_INPUT = Problem(
    "unreadable-input",
    'the document "{name}" cannot be read',
    detail="{reason}.",
    hint="Check the path.",
    means="The document cannot be opened.",
)
MALFORMED_XML = Problem(
    "malformed-xml",
    "the document is not well-formed XML",
    label="{why}",
    hint="Correct the document and run the query again. Everything before this place was read.",
    means="The document is not well-formed XML.",
)
CUT_OFF_DOCUMENT = Problem(
    "cut-off-document",
    "the document ends before its root element is closed",
    label="elements are still open here",
    hint="Check that the document is complete.",
    means="The document ends before its root element is closed.",
)
WRONG_ENCODING = Problem(
    "wrong-encoding",
    "the document does not have the expected encoding",
    label="these bytes are not a character",
    detail="{why}",
    hint="Save it as UTF-8, or name its encoding in the XML declaration.",
    means="The document is not in the encoding that it declares, or not in UTF-8 if it declares none.",
)
ENTITY_BOMB = Problem(
    "entity-bomb",
    "the entities of the document expand to too much text",
    label="reading stops here",
    detail="{why}",
    hint="If you trust the document, replace the entities by their text before it is read.",
)
UNKNOWN_ENTITY = Problem(
    "unknown-entity",
    'entity "{name}" is not declared',
    label="not declared",
    detail="Only declarations inside the document are read.",
    hint="Declare it in the document's DOCTYPE, or replace it by its text.",
)
UNNAMED_ENTITY = replace(UNKNOWN_ENTITY, message="an entity is not declared")
EXTERNAL_ENTITY = Problem(
    "external-entity",
    'the document refers to "{address}"',
    label="an external entity",
    detail="External entities are never fetched.",
    hint="Put the text into the document.",
    means="The document refers to an external entity. External entities are not fetched.",
)
UNDECLARED_PREFIX = Problem(
    "undeclared-prefix",
    "a namespace prefix is not declared",
    label="used in a name here",
    hint='Declare it: xmlns:prefix="…" on this element or an enclosing one.',
    means="The namespace prefix of a name is not declared.",
)
OVERSIZED_TOKEN = Problem(
    "oversized-token",
    "a tag, comment or other token is longer than {most} MB",
    label="it begins here",
    detail="A token is held in memory as a whole.",
    means="A tag, comment or other token is too long. Split it, or remove it before the document is read.",
)
MANY_NAMESPACES = Problem(
    "many-namespaces",
    "the document declares too many namespaces",
    label="reading stops here",
    detail="A declared namespace is held in memory for every element inside.",
    means="The open elements declare too many namespaces. Declare them once, on the root element.",
)
