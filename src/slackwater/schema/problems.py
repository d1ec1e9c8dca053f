"""What can be wrong with a schema, and with a document that does not fit it."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

BAD_SCHEMA = Problem(
    "bad-schema",
    "the schema cannot be read",
    label="{why}",
    hint="Correct the declaration here, or the one before it.",
    means="The schema cannot be read from here on.",
)
OTHER_SCHEMA = Problem(
    "bad-schema",
    "the schema cannot be read",
    label="neither a DTD nor an XML Schema begins so",
    hint="A DTD consists of declarations such as <!ELEMENT …>; an XML Schema is a <schema> element.",
)
REFUSED_SCHEMA = Problem(
    "refused-schema",
    "the schema is not one that can be used",
    detail="{why}",
    hint="Check it with another tool; only what lies on this machine is read.",
    means="The schema breaks a rule of XML Schema.",
)
EXTERNAL_SCHEMA = Problem(
    "external-schema",
    'the schema asks for "{address}"',
    detail="Nothing is fetched for a schema.",
    hint="Put the declarations into one file.",
    means="The schema asks for what lies outside of it.",
)
EMPTY_SCHEMA = Problem(
    "empty-schema",
    "the schema declares no element",
    hint="Check that the file is a DTD or an XML Schema.",
    means="The schema declares no element.",
)
UNKNOWN_ROOT = Problem(
    "unknown-root",
    'the schema declares no element "{root}" for a document to begin with',
    detail="A document may begin with {known}.",
    means="The schema allows no document that begins with this element. Check that document and "
    "schema belong together.",
)
AMBIGUOUS_CONTENT = Problem(
    "ambiguous-content",
    'the content model of "{element}" is ambiguous',
    detail='In {model}, a "{symbol}" can be read as one of two, and only what follows tells which.',
    hint="Write it so that each element tells its place by its name.",
    severity=Severity.WARNING,
    means="An element does not tell its place in a content model by its name.",
)
UNKNOWN_ENTITY = Problem(
    "unknown-entity",
    'entity "{name}" is not declared',
    label="nothing is known of it",
    hint='Declare it before this place: <!ENTITY % {name} "…">.',
    means="An entity is not declared inside the document, or in the DTD.",
)
UNKNOWN_ENTITY_IN = Problem(
    "unknown-entity",
    'entity "{name}" refers to one that is not declared',
    label="not all that it refers to is known",
    hint="Declare what it refers to before this place.",
)
ENTITY_BOMB = Problem(
    "entity-bomb",
    "the schema's entities grow beyond all bounds",
    label="reading stops here",
    detail="{why}",
    hint="Write out the entities, if the schema can be trusted.",
    means="Entities stand for more text than is good.",
)
OVERSIZED_CONTENT = Problem(
    "oversized-content",
    'the content model of "{name}" is too large',
    label="reading stops here",
    detail="{why}",
    hint="Let elements of their own hold parts of it.",
    means="A content model is too deep, or names too many elements.",
)
UNREADABLE_SCHEMA = Problem(
    "unreadable-schema",
    'the schema "{path}" cannot be read',
    detail="{why}",
    hint="Check the path; a schema is a DTD or an XML Schema in UTF-8.",
    means="The file with the schema cannot be read.",
)
NO_SUCH_RECORD = Problem(
    "no-such-record",
    'no element stands at "/{path}"',
    detail="Here the schema has {known}.",
    hint="A record is named by its path from the root: /photons/photon.",
    means="The schema has no element at the path.",
)
UNEXPECTED_ELEMENT = Problem(
    "unexpected-element",
    'element "{name}" cannot stand here',
    label="the schema does not allow it here",
    detail="{expected}",
    means="The schema has another element here, or none. Correct the document, or use the schema "
    "it was written for.",
)
MISSING_ELEMENT = Problem(
    "missing-element",
    'element "{parent}" ends too early',
    label="something is missing before it",
    detail="{expected}",
    means="An element ends before all that the schema asks for is there. Correct the document, or "
    "use the schema it was written for.",
)
UNEXPECTED_TEXT = Problem(
    "unexpected-text",
    'text cannot stand in element "{parent}"',
    label="there is text before this place",
    detail='"{parent}" {holds}.',
    means="There is text where the schema has only elements. Correct the document, or use the "
    "schema it was written for.",
)
