"""Errors while a query is evaluated: the data do not fit it."""

from __future__ import annotations

from dataclasses import replace

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span
from slackwater.flux import problems
from slackwater.language.xquery import syntax as ast


class Wrong(Exception):
    """An error of XQuery, without the expression it belongs to."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic

    def at(self, span: Span | None) -> EngineError:
        return EngineError(replace(self.diagnostic, span=span))


def wrong_type(what: str, hint: str | None = None) -> Wrong:
    """A value of one type where another is needed (XPTY0004, FORG0006)."""
    return Wrong(problems.XQUERY_TYPE.at(what=what, hint=hint))


def bad_cast(text: str, type_name: str) -> Wrong:
    """A text that is no value of a type (FORG0001)."""
    return Wrong(problems.BAD_CAST.at(text=text[:40], type_name=type_name))


def too_many(what: str, count: int) -> Wrong:
    """Several items where one is needed (XPTY0004)."""
    return Wrong(problems.TOO_MANY.at(what=what, count=count))


def too_long() -> Wrong:
    """A range of more integers than can be counted (XPDY0130)."""
    return Wrong(problems.TOO_LONG.at())


def wrong_count(function: str, count: int) -> Wrong:
    """zero-or-one, one-or-more, exactly-one (FORG0003 to FORG0005)."""
    return Wrong(problems.WRONG_COUNT.at(function=function, count=count))


def division_by_zero() -> Wrong:
    """FOAR0001."""
    return Wrong(problems.DIVISION_BY_ZERO.at())


def no_context() -> Wrong:
    """XPDY0002."""
    return Wrong(problems.NO_CONTEXT.at())


def unknown_input(kind: str, name: str) -> Wrong:
    """FODC0002."""
    return Wrong(problems.UNKNOWN_INPUT.at(kind=kind, name=name))


def other_document(input_: ast.Input, document: str) -> EngineError:
    return EngineError(problems.OTHER_DOCUMENT.at(input_.span, name=input_.name, source=document))


def duplicate_input(input_: ast.Input) -> EngineError:
    return EngineError(problems.DUPLICATE_INPUT.at(input_.span, name=input_.name))


def unclear_source(input_: ast.Input) -> EngineError:
    return EngineError(problems.UNCLEAR_SOURCE.at(input_.span, name=input_.name))


def unordered_window() -> Wrong:
    """A time-based window over items whose reference goes down (thesis 3.8.14)."""
    return Wrong(problems.UNORDERED_WINDOW.at())


def bad_bound() -> Wrong:
    """The bound of a dimension of a best-match join."""
    return Wrong(problems.BAD_BOUND.at())


def raised(message: str) -> Wrong:
    """fn:error."""
    return Wrong(problems.XQUERY_ERROR.at(message=message))


def no_value(name: str) -> Wrong:
    """An external function or variable without a value."""
    return Wrong(problems.NO_VALUE.at(name=name))


def duplicate_attribute(name: str) -> Wrong:
    """XQDY0025."""
    return Wrong(problems.DUPLICATE_ATTRIBUTE.at(name=name))


def late_attribute() -> Wrong:
    """XQTY0024."""
    return wrong_type("an attribute comes after other content of its element")


def not_a_name(text: str) -> Wrong:
    """XQDY0074."""
    return Wrong(problems.BAD_NAME.at(text=text[:40]))


def declaring_attribute(name: str) -> Wrong:
    """XQDY0044."""
    return Wrong(problems.BAD_NAMESPACE.at(name=name))


def bad_comment() -> Wrong:
    """XQDY0072."""
    return Wrong(problems.BAD_COMMENT.at())


def too_deep() -> Wrong:
    return Wrong(problems.TOO_DEEP.at())


def lonely_attribute() -> Wrong:
    """SENR0001."""
    return wrong_type("an attribute alone cannot be written")
