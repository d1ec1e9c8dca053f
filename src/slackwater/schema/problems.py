"""What can be wrong with a schema, and with a document that does not fit it."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

BAD_SCHEMA = Problem(
    "bad-schema",
    "the schema cannot be read",
    label="{why}",
    hint="Correct the declaration here, or the one before it.",
    means="The schema has a syntax error. Reading stopped at the marked place.",
)
OTHER_SCHEMA = Problem(
    "bad-schema",
    "the schema cannot be read",
    label="neither a DTD nor an XML Schema starts like this",
    hint="A DTD consists of declarations such as <!ELEMENT …>; an XML Schema is a <schema> element.",
)
REFUSED_SCHEMA = Problem(
    "refused-schema",
    "the schema is invalid",
    detail="{why}",
    hint="Correct the schema. Only local files are read.",
    means="The schema breaks a rule of XML Schema.",
)
EXTERNAL_SCHEMA = Problem(
    "external-schema",
    'the schema refers to "{address}"',
    detail="External parts of a schema are not fetched.",
    hint="Put the declarations into one file.",
    means="The schema refers to an external file or address.",
)
EMPTY_SCHEMA = Problem(
    "empty-schema",
    "the schema declares no element",
    hint="Check that the file is a DTD or an XML Schema.",
    means="The schema declares no element.",
)
UNKNOWN_ROOT = Problem(
    "unknown-root",
    'the schema declares no root element "{root}"',
    detail="The root element may be {known}.",
    means="The schema does not allow this root element. Check that document and schema belong together.",
)
AMBIGUOUS_CONTENT = Problem(
    "ambiguous-content",
    'the content model of "{element}" is ambiguous',
    detail='In {model}, "{symbol}" matches at two positions, and only later elements decide between them.',
    hint="Rewrite the content model so that the name of an element determines its position.",
    severity=Severity.WARNING,
    means="In a content model, the name of an element does not determine its position.",
)
UNKNOWN_ENTITY = Problem(
    "unknown-entity",
    'entity "{name}" is not declared',
    label="not declared",
    hint='Declare it before this place: <!ENTITY % {name} "…">.',
    means="An entity is declared neither in the document nor in the DTD.",
)
UNKNOWN_ENTITY_IN = Problem(
    "unknown-entity",
    'entity "{name}" refers to an entity that is not declared',
    label="refers to an undeclared entity",
    hint="Declare that entity before this place.",
)
ENTITY_BOMB = Problem(
    "entity-bomb",
    "the entities of the schema expand to too much text",
    label="reading stops here",
    detail="{why}",
    hint="If you trust the schema, replace the entities by their text.",
    means="Entities expand to more text than is allowed. Such a document can be an attack that exhausts "
    "memory.",
)
OVERSIZED_CONTENT = Problem(
    "oversized-content",
    'the content model of "{name}" is too large',
    label="reading stops here",
    detail="{why}",
    hint="Move parts of it into child elements.",
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
    'the schema has no element at "/{path}"',
    detail="It has {known} there.",
    hint="Use the path of the record from the root, for example /photons/photon.",
    means="The schema has no element at this path.",
)
UNEXPECTED_ELEMENT = Problem(
    "unexpected-element",
    'element "{name}" is not allowed here',
    label="not allowed by the schema",
    detail="{expected}",
    means="The schema expects another element here, or none. Correct the document, or use the schema "
    "it was written for.",
)
MISSING_ELEMENT = Problem(
    "missing-element",
    'element "{parent}" ends too early',
    label="a required element is missing before this place",
    detail="{expected}",
    means="An element ends before all the children that the schema requires. Correct the document, or "
    "use the schema it was written for.",
)
UNEXPECTED_TEXT = Problem(
    "unexpected-text",
    'text is not allowed in element "{parent}"',
    label="the text is before this place",
    detail='"{parent}" {holds}.',
    means="There is text where the schema allows only elements. Correct the document, or use the "
    "schema it was written for.",
)
