"""What can be wrong with the text of an XQuery."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNEXPECTED = Problem(
    "syntax",
    'unexpected "{word}"',
)
UNEXPECTED_END = Problem(
    "syntax",
    "unexpected end of the query",
)
NEVER_CLOSED = Problem(
    "syntax",
    "{what} is never closed",
    label="opened here",
)
OTHER_END_TAG = Problem(
    "syntax",
    '"{word}" does not close "<{opened}>"',
    label='expected "</{opened}>"',
    hint="Close elements in the reverse order of their start tags.",
)
STRAY_BRACE = Problem(
    "syntax",
    'unexpected "}}" in text',
    hint='Write "}}}}" for a brace in text.',
)
RAW_AMPERSAND = Problem(
    "syntax",
    'unexpected "&"',
    hint='Write "&amp;" for an ampersand.',
)
UNKNOWN_ENTITY = Problem(
    "syntax",
    'there is no entity "{name}"',
    detail="The entities are {entities}.",
)
BAD_CHARACTER = Problem(
    "syntax",
    "{shown} is not a character of XML",
)
BAD_COMMENT = Problem(
    "syntax",
    'unexpected "--" in a comment',
    hint='Remove it; XML does not allow "--" in comments.',
)
BAD_TARGET = Problem(
    "syntax",
    'a processing instruction cannot be named "{name}"',
    hint="Choose another name.",
)
BAD_NAME = Problem(
    "bad-name",
    '"{name}" is not a name',
    hint="Begin a name with a letter or an underscore, after an optional prefix and colon.",
    means="A name, computed or literal, is not a valid XML name.",
)
BAD_NAMESPACE = Problem(
    "bad-namespace",
    "{why}",
    hint="Choose another prefix or another namespace.",
    means="A namespace is declared where that is not allowed, or as an attribute. Declare it in the "
    "prolog, or in the start tag of a constructor.",
)
COMPUTED_NAMESPACE = Problem(
    "bad-namespace",
    "the namespace of a declaration cannot be computed",
    hint="Write the namespace as a literal; double any braces in it.",
)
EMPTY_NAMESPACE = Problem(
    "bad-namespace",
    'prefix "{prefix}" is declared without a namespace',
    hint='Write xmlns:{prefix}="...".',
)
DECLARING_ATTRIBUTE = Problem(
    "bad-namespace",
    '"{name}" declares a namespace and is not an attribute',
    hint="Declare namespaces in the start tag of a direct constructor, or in the prolog.",
)
UNQUOTED_ATTRIBUTE = Problem(
    "syntax",
    'attribute "{name}" has no value in quotes',
    hint='Write {name}="{{ ... }}".',
)
UNSUPPORTED_XQUERY = Problem(
    "unsupported-xquery",
    "{what} is not supported",
    means="This part of XQuery is not supported. [xquery.md](xquery.md) lists what is.",
)
_WINDOW = 'Write "|count 10 step 5|" or "|time diff 60 step 15|" after the path of a for.'
NOT_A_WINDOW = Problem("bad-window", "this is not a window", hint=_WINDOW)
MISPLACED_WINDOW = Problem("bad-window", "a window is allowed only after the path of a for", hint=_WINDOW)
EMPTY_WINDOW = Problem("bad-window", "a window and its step must be greater than zero", hint=_WINDOW)
UNEVEN_STEP = Problem("bad-window", "the step of a count window must be a whole number", hint=_WINDOW)
ORDER_HINT = "Write min, max, subset, superset, or a declared function of four parameters."
_JOIN = "Write for $r in … for $s in … where $r bestmatch join $s on (…) min, … return …"
MISPLACED_BEST_MATCH = Problem(
    "bad-bestmatch",
    "a best-match join is allowed only in the where of two loops",
    hint=f"{_JOIN}; further conditions follow with and.",
    means="A best-match join is not in the where of two loops, or not of the last two.",
)
NOT_A_LOOP = Problem(
    "bad-bestmatch",
    'variable "${name}" is not one of the two loops before the best-match join',
    label="not a loop here",
    detail="Between the two loops, and between them and the join, only let and where are allowed.",
    hint=f"{_JOIN}.",
)
ONE_LOOP = Problem(
    "bad-bestmatch",
    'a best-match join takes two loops, not "${name}" twice',
    hint=f"{_JOIN}.",
)
WRONG_VALUES = Problem(
    "wrong-dimension",
    'the order "{order}" takes {takes} expression{plural}, not {size}',
    hint="Write (abs($r/x - $s/x)) min, or ($r/tag, $s/tag) subset.",
)
BOUND_OF_ORDER = Problem(
    "bad-bound",
    'the order "{order}" has no bound',
    hint="Only min and max have one: remove it, or add a condition with and.",
)
BOUND_NOT_A_NUMBER = Problem(
    "bad-bound",
    "a bound is a number",
    label="a text",
    hint="Write it without quotes: min 250.",
)
NEGATIVE_BOUND = Problem(
    "bad-bound",
    "no distance is within a negative bound",
    label="abs is never negative",
    hint="Write the greatest distance that is allowed, 0 or more.",
)
NOT_CONSTRAINED = Problem(
    "not-constrained",
    "a constrained best-match join has a bound",
    label="no dimension has a bound",
    hint="Write a bound after min or max: (abs($r/x - $s/x)) min 100. Or remove constrained.",
)
UNKNOWN_ORDER = Problem(
    "unknown-order",
    'there is no order "{name}"',
    label="no such order",
)
TOO_DEEP = Problem(
    "too-deep",
    "the query is nested too deeply",
    hint="Move inner parts into functions with declare function.",
)
UNKNOWN_VARIABLE = Problem(
    "unknown-variable",
    'variable "${name}" is not bound',
    label="not bound here",
    means="The variable is not bound where it is used. Bind it with for, let or declare variable, "
    "or correct its name.",
)
UNKNOWN_FUNCTION = Problem(
    "unknown-function",
    'function "{name}" does not exist',
    label="no such function",
)
WRONG_ARGUMENTS = Problem(
    "wrong-arguments",
    'function "{name}" takes {expected} argument{plural}, not {count}',
)
UNKNOWN_PREFIX = Problem(
    "unknown-prefix",
    'prefix "{prefix}" is not declared',
    hint='Write declare namespace {prefix} = "..."; before the query.',
    means="The namespace prefix of a name is not declared.",
)
DECLARED_TWICE = Problem(
    "declared-twice",
    "{what} is declared twice",
    label="already declared",
    means="A function, variable, namespace or attribute is declared twice. Remove or rename one of them.",
)
REPEATED_ATTRIBUTE = Problem(
    "declared-twice",
    'attribute "{name}" is given twice',
    label="already given",
)
UNKNOWN_TYPE = Problem(
    "unknown-type",
    'there is no type "{name}"',
)
NO_CAST = Problem(
    "unknown-type",
    'nothing can be cast to "{name}"',
    hint="Cast to one of its types: xs:double, xs:string.",
)
UNNAMED_INPUT = Problem(
    "syntax",
    "{function} takes one string literal",
    hint='Write {function}("name"): the inputs of a query must be known before it runs.',
)
