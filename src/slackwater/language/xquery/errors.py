"""Errors in the text of an XQuery."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.language.xquery import problems


class Refused(Exception):
    """The text cannot be parsed further."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def unexpected(span: Span, expected: str = "", hint: str | None = None) -> Diagnostic:
    """A token that is not allowed here."""
    label = f"expected {expected}" if expected else None
    if not span.content:
        return problems.UNEXPECTED_END.at(span, label=label, hint=hint)
    return problems.UNEXPECTED.at(span, word=_shorten(span.content), label=label, hint=hint)


def never_closed(span: Span, what: str) -> Diagnostic:
    return problems.NEVER_CLOSED.at(span, what=what)


def other_end_tag(span: Span, opened: str) -> Diagnostic:
    return problems.OTHER_END_TAG.at(span, word=_shorten(span.content), opened=opened)


def stray_brace(span: Span) -> Diagnostic:
    return problems.STRAY_BRACE.at(span)


def raw_ampersand(span: Span) -> Diagnostic:
    return problems.RAW_AMPERSAND.at(span)


def unknown_entity(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    listed = list(known)
    return problems.UNKNOWN_ENTITY.at(
        span, name=name, entities=quoted(listed), hint=did_you_mean(name, listed)
    )


def bad_character(span: Span) -> Diagnostic:
    char = span.content
    shown = f"U+{ord(char):04X}" if len(char) == 1 else f'"{char}"'
    return problems.BAD_CHARACTER.at(span, shown=shown)


def bad_comment(span: Span) -> Diagnostic:
    return problems.BAD_COMMENT.at(span)


def bad_target(span: Span, name: str) -> Diagnostic:
    return problems.BAD_TARGET.at(span, name=name)


def bad_name(span: Span, name: str) -> Diagnostic:
    return problems.BAD_NAME.at(span, name=_shorten(name))


def bad_namespace(span: Span, why: str) -> Diagnostic:
    return problems.BAD_NAMESPACE.at(span, why=why)


def computed_namespace(span: Span) -> Diagnostic:
    return problems.COMPUTED_NAMESPACE.at(span)


def empty_namespace(span: Span, prefix: str) -> Diagnostic:
    return problems.EMPTY_NAMESPACE.at(span, prefix=prefix)


def declaring_attribute(span: Span, name: str) -> Diagnostic:
    return problems.DECLARING_ATTRIBUTE.at(span, name=name)


def unquoted_attribute(span: Span, name: str) -> Diagnostic:
    return problems.UNQUOTED_ATTRIBUTE.at(span, name=name)


def unsupported(span: Span, what: str, hint: str | None = None) -> Diagnostic:
    return problems.UNSUPPORTED_XQUERY.at(span, what=what, hint=hint)


def too_deep(span: Span) -> Diagnostic:
    return problems.TOO_DEEP.at(span)


def unbound_variable(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    listed = sorted(known)
    return problems.UNKNOWN_VARIABLE.at(
        span,
        name=name,
        detail=f"Bound here: {', '.join('$' + variable for variable in listed)}." if listed else None,
        hint=_nearest(name, listed),
    )


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return problems.UNKNOWN_FUNCTION.at(span, name=name, hint=did_you_mean(name, known))


def wrong_arguments(span: Span, name: str, least: int, most: int | None, count: int) -> Diagnostic:
    expected = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
    plural = "" if expected == "1" else "s"
    return problems.WRONG_ARGUMENTS.at(
        span,
        name=name,
        expected=expected,
        plural=plural,
        count=count,
        hint="Put a sequence that is one argument in its own parentheses." if count > least else None,
    )


def unknown_prefix(span: Span, prefix: str) -> Diagnostic:
    return problems.UNKNOWN_PREFIX.at(span, prefix=prefix)


def declared_twice(span: Span, what: str) -> Diagnostic:
    return problems.DECLARED_TWICE.at(span, what=what)


def repeated_attribute(span: Span, name: str) -> Diagnostic:
    return problems.REPEATED_ATTRIBUTE.at(span, name=name)


def unknown_type(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return problems.UNKNOWN_TYPE.at(span, name=name, hint=did_you_mean(name, known))


def no_cast(span: Span, name: str) -> Diagnostic:
    return problems.NO_CAST.at(span, name=name)


def unnamed_input(span: Span, function: str) -> Diagnostic:
    return problems.UNNAMED_INPUT.at(span, function=function)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    hint = did_you_mean(name, known)
    return hint.replace('"', '"$', 1) if hint else None


def _shorten(content: str, size: int = 40) -> str:
    line = content.split("\n")[0]
    return line if len(line) <= size else f"{line[:size]}…"
