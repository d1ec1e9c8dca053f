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
FAILED_MODULE = Problem(
    "failed-module",
    'function "{name}" of a module failed: {why}',
    hint="Correct the function, and subscribe again with the new module.",
    means="A function in WebAssembly trapped, took too many instructions or too much memory, or was called "
    "with other arguments than it takes.",
)
BAD_CAST = Problem(
    "bad-cast",
    '"{text}" is not a value of type {type_name}',
)
TOO_MANY = Problem(
    "item-count",
    "{what} takes at most one item, not {count}",
    hint="Choose one with [1], or aggregate them.",
    means="A function or operator got more or fewer items than it takes. Choose one item "
    "with [1], or aggregate them.",
)
TOO_LONG = Problem(
    "too-long",
    "a range has too many integers",
    means="A range such as `1 to $n` has more integers than a 64-bit count. Use a smaller range.",
)
WRONG_COUNT = Problem(
    "item-count",
    "{function} got {count} items",
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
    means="The expression needs a context item and there is none, for example in the body of a function.",
)
UNKNOWN_INPUT = Problem(
    "unknown-input",
    'there is no {kind} "{name}"',
    means="The query uses a stream, document, variable or function that was not passed to it. "
    "Pass it, or correct its name.",
)
OTHER_DOCUMENT = Problem(
    "other-document",
    'the query reads "{name}", but the input is "{source}"',
    label="not the input document",
    hint='Write "/" for the input document, or pass the document on the standard input.',
    means="The query names another document than its input.",
)
DUPLICATE_INPUT = Problem(
    "other-document",
    '"{name}" is both the source and one of the inputs',
    label="the first document of the query is its source",
    hint="Pass it once, as the source, and the other documents as inputs.",
)
UNCLEAR_SOURCE = Problem(
    "other-document",
    'it is not clear whether the input is "{name}"',
    detail="The query reads several documents.",
    hint='Write "/" for the input document, and name the others.',
)
UNORDERED_WINDOW = Problem(
    "unordered-window",
    "the reference values of a window decrease",
    hint="Order the items by the reference of the window.",
    means="The items of a window with `diff` must be ordered by its reference, and they are not.",
)
BAD_BOUND = Problem(
    "bad-bound",
    "a bound is one number",
    hint="Write a number after min or max, or an expression that gives one.",
)
XQUERY_ERROR = Problem(
    "xquery-error",
    "{message}",
    means="The query called `error` with this message.",
)
NO_VALUE = Problem(
    "unknown-input",
    "{name} has no value",
)
DUPLICATE_ATTRIBUTE = Problem(
    "duplicate-attribute",
    'an element has two attributes "{name}"',
    means="A constructor makes an element with two attributes of the same name. Remove one of them.",
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
    'a comment must not contain "--" or end in "-"',
    hint="Replace the hyphens with translate( ... ).",
    means="A computed comment is not valid in XML.",
)
TOO_DEEP = Problem(
    "too-deep",
    "the query calls itself too deeply",
)
NOT_A_SUBSCRIPTION = Problem(
    "no-subscription",
    "this query cannot be evaluated record by record",
    label="here",
    hint='Write for $x in stream("name")/list/record … return …, and use the stream only there.',
    means="The XQuery cannot be evaluated record by record, so it cannot run over a stream.",
)
DEPENDS_ON_OTHERS = Problem(
    "no-subscription",
    "the position of a record among all records is unknown while they arrive",
    label="needs the position",
    hint="Remove at and order by, or sort the answer.",
)
COMPARES_RECORDS = Problem(
    "no-subscription",
    "the best pairs of all records are unknown while they arrive",
    label="compares records with each other",
    hint="Write left outer bestmatch join with the record on the left: each record has its own best pairs.",
)
BESIDE_A_WINDOW = Problem(
    "no-subscription",
    "a query over windows of records cannot read a document",
    label="another document",
    hint="Remove the document, or the window.",
)
COUNTED_WINDOW = Problem(
    "counted-window",
    "a window over a stream of records is defined by time",
    label="counts records",
    hint="Write |path diff length step length|, or run the query over one document.",
    means="A window over a stream of records counts the records. Only windows over time are possible there.",
)
WINDOW_CONTENTS = Problem(
    "window-contents",
    "the records of window ${variable} are used outside an aggregate",
    label="here",
    hint="Use them in count, sum, avg, min or max: avg(${variable}/path).",
    means="The records of a window are used outside an aggregate.",
)
NEVER_MATCHES = Problem(
    "never-matches",
    '"{step}" matches nothing in any document of the schema',
    label="no such element",
    detail="{names}",
    severity=Severity.WARNING,
    means="A warning: by the schema, a step of the query matches nothing in any document. Correct "
    "the name, or remove the step.",
)
DEEP_DOCUMENT = Problem(
    "too-deep",
    "the document nests its elements too deeply",
    detail="An element that is copied into a new one is held in memory.",
)
NO_SCHEMA = Problem(
    "no-schema",
    "the document cannot be validated: there is no schema",
    hint="Pass a schema (--schema FILE on the command line), or use a document with an internal DTD.",
    means="The document cannot be validated because there is no schema.",
)
