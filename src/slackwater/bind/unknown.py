"""Calls of functions that are not known, or not in this form."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.functions import CLOCK_FUNCTIONS, known_functions
from slackwater.bind.grouping.problems import MISPLACED_GROUPING
from slackwater.bind.refused import REFUSED
from slackwater.language.cql.foreign import FUNCTIONS


def unknown_call(node: exp.Func, span: Span, of_users: Iterable[str] = ()) -> Diagnostic:
    """What is wrong with a call that is none of ours, nor of a user.

    sqlglot has names of its own for many functions; the error shows the one in the query.
    """
    known_as = node.name if isinstance(node, exp.Anonymous) else str(node.sql_name())
    name, _, inside = span.content.partition("(")
    name = name.strip()
    is_clock = bool({name.lower(), known_as.lower()} & CLOCK_FUNCTIONS)
    if is_clock and (name.lower() not in FUNCTIONS or inside.strip() in ("", ")")):
        return errors.clock_function(name.upper(), span)
    if isinstance(node, exp.Grouping | exp.GroupingId):
        return MISPLACED_GROUPING.at(span, function=name.upper())
    if name.lower() in known_functions():
        return errors.wrong_form(name, span)
    if name.lower() in REFUSED:
        return errors.refused_function(name, REFUSED[name.lower()], span)
    return errors.unknown_function(name, [*known_functions(), *of_users], span)
