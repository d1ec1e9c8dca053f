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
    hint="What stood before this place has been read; correct the document and read it again.",
    means="The document is not well-formed XML.",
)
CUT_OFF_DOCUMENT = Problem(
    "cut-off-document",
    "the document ends in the middle",
    label="elements are still open here",
    hint="Check that all of it has arrived.",
    means="The document ends in the middle.",
)
WRONG_ENCODING = Problem(
    "wrong-encoding",
    "the document is not in the encoding it should be in",
    label="these bytes are no character",
    detail="{why}",
    hint="Save it as UTF-8, or let its XML declaration name the encoding.",
    means="The bytes are not in the encoding they should be in.",
)
ENTITY_BOMB = Problem(
    "entity-bomb",
    "the document's entities grow beyond all bounds",
    label="reading stops here",
    detail="{why}",
    hint="Write out the entities before the document is read, if it can be trusted.",
)
UNKNOWN_ENTITY = Problem(
    "unknown-entity",
    'entity "{name}" is not declared',
    label="nothing is known of it",
    detail="Only declarations inside the document are read.",
    hint="Declare it in the document's DOCTYPE, or write out what it stands for.",
)
UNNAMED_ENTITY = replace(UNKNOWN_ENTITY, message="an entity is not declared")
EXTERNAL_ENTITY = Problem(
    "external-entity",
    'the document asks for "{address}"',
    label="this entity lies outside the document",
    detail="Nothing outside a document is ever fetched.",
    hint="Put the text into the document.",
    means="An entity lies outside the document; nothing is fetched.",
)
UNDECLARED_PREFIX = Problem(
    "undeclared-prefix",
    "a prefix of a name is not declared",
    label="a name here begins with it",
    hint='Declare it: xmlns:prefix="…" on this element or one around it.',
    means="The prefix of a name is not declared.",
)
OVERSIZED_TOKEN = Problem(
    "oversized-token",
    "a tag, comment or the like is longer than {most} MB",
    label="it begins here",
    detail="It would have to be kept in memory whole.",
    means="A tag or comment is too long to be kept in memory. Split it, or remove it before the "
    "document is read.",
)
MANY_NAMESPACES = Problem(
    "many-namespaces",
    "the document declares namespaces beyond all bounds",
    label="reading stops here",
    detail="Each of them would have to be kept for every element inside.",
    means="The open elements declare more namespaces than can be kept. Declare them once, on the root.",
)
