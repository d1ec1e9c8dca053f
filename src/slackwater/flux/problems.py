"""What can be wrong while an XQuery is answered."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

XQUERY_TYPE = Problem(
    "xquery-type",
    "{what}",
    means="A value has one type where another is needed. Convert it, for example with xs:double(…) "
    "or string(…).",
)
BAD_CAST = Problem(
    "bad-cast",
    '"{text}" is not a value of type {type_name}',
)
TOO_MANY = Problem(
    "item-count",
    "{what} takes at most one item, not {count}",
    hint="Choose one with [1], or aggregate them.",
    means="A function or operator was given more or fewer items than it takes. Choose one item "
    "with [1], or aggregate them.",
)
TOO_LONG = Problem(
    "too-long",
    "a range has more integers than can be counted",
    means="A range such as `1 to $n` has more integers than can be counted. Bound it.",
)
WRONG_COUNT = Problem(
    "item-count",
    "{function} was given {count} items",
)
DIVISION_BY_ZERO = Problem(
    "division-by-zero",
    "division by zero",
    means="A whole or decimal number is divided by zero. Test the divisor first, or divide "
    "doubles, which gives INF or NaN.",
)
NO_CONTEXT = Problem(
    "no-context",
    "there is no context item here",
    hint="Inside a function, pass the node as an argument.",
    means="There is no context item, as in the body of a function.",
)
UNKNOWN_INPUT = Problem(
    "unknown-input",
    'there is no {kind} "{name}"',
    means="The query reads a stream, document, variable or function for which nothing was given. "
    "Give it, or correct its name.",
)
OTHER_DOCUMENT = Problem(
    "other-document",
    'the query reads "{name}", and "{given}" was given',
    label="not the document that was given",
    hint='Write "/" for the document that is given, or give it on the standard input.',
    means="The query names another document than the one that was given.",
)
GIVEN_TWICE = Problem(
    "other-document",
    '"{name}" was given as the source and among the inputs',
    label="the first document of the query is its source",
    hint="Give it once, and the other documents among the inputs.",
)
UNCLEAR_SOURCE = Problem(
    "other-document",
    'it is not clear that what was given is "{name}"',
    detail="Several documents are asked for.",
    hint='Write "/" for the document that is given, and name the others.',
)
UNORDERED_WINDOW = Problem(
    "unordered-window",
    "the reference of a window goes backwards",
    hint="The items of a window with diff are ordered by its reference.",
    means="The reference of a window with `diff` goes backwards.",
)
XQUERY_ERROR = Problem(
    "xquery-error",
    "{message}",
    means="The query itself called `error`; the message is the one it gave.",
)
NO_VALUE = Problem(
    "unknown-input",
    "nothing was given for {name}",
)
DUPLICATE_ATTRIBUTE = Problem(
    "duplicate-attribute",
    'an element has two attributes "{name}"',
    means="A constructor would give an element two attributes of one name. Leave one out.",
)
BAD_NAME = Problem(
    "bad-name",
    '"{text}" is not a name',
)
BAD_NAMESPACE = Problem(
    "bad-namespace",
    '"{name}" declares a namespace, and is not an attribute',
)
BAD_COMMENT = Problem(
    "bad-comment",
    'a comment has no "--" in it and no "-" at its end',
    hint="Use translate( ... ).",
    means="A computed comment would not be XML.",
)
TOO_DEEP = Problem(
    "too-deep",
    "the query calls itself too deeply",
)
NOT_A_SUBSCRIPTION = Problem(
    "no-subscription",
    "this is no query that can be asked of one record after the other",
    label="here",
    hint='Write for $x in stream("name")/list/record … return …, with the stream in no other place.',
    means="An XQuery that cannot be asked of one record after the other.",
)
DEPENDS_ON_OTHERS = Problem(
    "no-subscription",
    "the place of a record among all records is never known while they come",
    label="asks for it",
    hint="Leave out at and order by, or sort the answer.",
)
COUNTED_WINDOW = Problem(
    "counted-window",
    "a window over records is measured by their time",
    label="counts records",
    hint="Write |path diff length step length|, or run the query over one document.",
    means="A window over a stream of records counts them; it is measured by time.",
)
WINDOW_CONTENTS = Problem(
    "window-contents",
    "the records of window ${variable} are used outside of an aggregate",
    label="here",
    hint="Use it in count, sum, avg, min or max: avg(${variable}/path).",
    means="The records of a window are used outside of an aggregate.",
)
NEVER_MATCHES = Problem(
    "never-matches",
    '"{written}" matches nothing in any document of the schema',
    label="no such element",
    detail="{there}",
    severity=Severity.WARNING,
    means="A warning: by the schema, a step of the query matches nothing in any document. Correct "
    "the name, or remove the step.",
)
DEEP_DOCUMENT = Problem(
    "too-deep",
    "the document nests its elements too deeply",
    detail="An element that is copied into a new one is held in memory, level by level.",
)
NO_SCHEMA = Problem(
    "no-schema",
    "the document cannot be validated: there is no schema",
    hint="Give the schema (--schema FILE on the command line), or a document with a DTD of its own.",
    means="A document is to be validated, and there is no schema.",
)
