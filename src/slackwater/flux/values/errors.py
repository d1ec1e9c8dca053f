"""What can go wrong while a query is answered: the data do not suit it."""

from __future__ import annotations

from dataclasses import replace

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span
from slackwater.language.xquery import syntax as ast


class Wrong(Exception):
    """An error of XQuery, before it is known which expression it belongs to."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic

    def at(self, span: Span | None) -> EngineError:
        return EngineError(replace(self.diagnostic, span=span))


def wrong_type(what: str, hint: str | None = None) -> Wrong:
    """A value of one type where another is needed (XPTY0004, FORG0006)."""
    return Wrong(Diagnostic("xquery-type", what, hint=hint))


def bad_cast(text: str, type_name: str) -> Wrong:
    """A text that is no value of a type (FORG0001)."""
    return Wrong(Diagnostic("bad-cast", f'"{text[:40]}" is not a value of type {type_name}'))


def too_many(what: str, count: int) -> Wrong:
    """Several items where one is needed (XPTY0004)."""
    return Wrong(
        Diagnostic(
            "item-count",
            f"{what} takes at most one item, not {count}",
            hint="Choose one with [1], or aggregate them.",
        )
    )


def too_long() -> Wrong:
    """A range of more integers than can be counted (XPDY0130)."""
    return Wrong(Diagnostic("too-long", "a range has more integers than can be counted"))


def wrong_count(function: str, count: int) -> Wrong:
    """zero-or-one, one-or-more, exactly-one (FORG0003 to FORG0005)."""
    return Wrong(Diagnostic("item-count", f"{function} was given {count} items"))


def division_by_zero() -> Wrong:
    """FOAR0001."""
    return Wrong(Diagnostic("division-by-zero", "division by zero"))


def no_context() -> Wrong:
    """XPDY0002."""
    return Wrong(
        Diagnostic(
            "no-context",
            "there is no context item here",
            hint="Inside a function, pass the node as an argument.",
        )
    )


def unknown_input(kind: str, name: str) -> Wrong:
    """FODC0002."""
    return Wrong(Diagnostic("unknown-input", f'there is no {kind} "{name}"'))


def other_document(asked: ast.Input, given: str) -> EngineError:
    return EngineError(
        Diagnostic(
            "other-document",
            f'the query reads "{asked.name}", and "{given}" was given',
            asked.span,
            "not the document that was given",
            hint='Write "/" for the document that is given, or give it on the standard input.',
        )
    )


def given_twice(asked: ast.Input) -> EngineError:
    return EngineError(
        Diagnostic(
            "other-document",
            f'"{asked.name}" was given as the source and among the inputs',
            asked.span,
            "the first document of the query is its source",
            hint="Give it once, and the other documents among the inputs.",
        )
    )


def unclear_source(asked: ast.Input) -> EngineError:
    return EngineError(
        Diagnostic(
            "other-document",
            f'it is not clear that what was given is "{asked.name}"',
            asked.span,
            detail="Several documents are asked for.",
            hint='Write "/" for the document that is given, and name the others.',
        )
    )


def unordered_window() -> Wrong:
    """A time-based window over items whose reference goes down (thesis 3.8.14)."""
    return Wrong(
        Diagnostic(
            "unordered-window",
            "the reference of a window goes backwards",
            hint="The items of a window with diff are ordered by its reference.",
        )
    )


def raised(message: str) -> Wrong:
    """fn:error."""
    return Wrong(Diagnostic("xquery-error", message))


def no_value(name: str) -> Wrong:
    """An external function or variable that was not given."""
    return Wrong(Diagnostic("unknown-input", f"nothing was given for {name}"))


def duplicate_attribute(name: str) -> Wrong:
    """XQDY0025."""
    return Wrong(Diagnostic("duplicate-attribute", f'an element has two attributes "{name}"'))


def late_attribute() -> Wrong:
    """XQTY0024."""
    return wrong_type("an attribute comes after other content of its element")


def not_a_name(text: str) -> Wrong:
    """XQDY0074."""
    return Wrong(Diagnostic("bad-name", f'"{text[:40]}" is not a name'))


def declaring_attribute(name: str) -> Wrong:
    """XQDY0044."""
    return Wrong(Diagnostic("bad-namespace", f'"{name}" declares a namespace, and is not an attribute'))


def bad_comment() -> Wrong:
    """XQDY0072."""
    return Wrong(
        Diagnostic(
            "bad-comment", 'a comment has no "--" in it and no "-" at its end', hint="Use translate( ... )."
        )
    )


def too_deep() -> Wrong:
    return Wrong(Diagnostic("too-deep", "the query calls itself too deeply"))


def lonely_attribute() -> Wrong:
    """SENR0001."""
    return wrong_type("an attribute alone cannot be written")
