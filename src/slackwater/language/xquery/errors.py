"""What can be wrong with the text of an XQuery."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span


class Refused(Exception):
    """A text that cannot be read on."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def unexpected(span: Span, expected: str = "", hint: str | None = None) -> Diagnostic:
    """A word or sign that cannot stand where it stands."""
    found = f'unexpected "{_shortened(span.content)}"' if span.content else "unexpected end of the query"
    return Diagnostic("syntax", found, span, f"expected {expected}" if expected else "", hint=hint)


def never_closed(span: Span, what: str) -> Diagnostic:
    return Diagnostic("syntax", f"{what} is never closed", span, "opened here")


def other_end_tag(span: Span, opened: str) -> Diagnostic:
    return Diagnostic(
        "syntax",
        f'"{_shortened(span.content)}" does not close "<{opened}>"',
        span,
        f'expected "</{opened}>"',
        hint="Elements are closed in the opposite order of their opening.",
    )


def lonely_brace(span: Span) -> Diagnostic:
    return Diagnostic(
        "syntax", 'unexpected "}" in text', span, hint='A brace that is meant as text is doubled: "}}".'
    )


def raw_ampersand(span: Span) -> Diagnostic:
    return Diagnostic("syntax", 'unexpected "&"', span, hint='An ampersand is written "&amp;".')


def unknown_entity(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    listed = list(known)
    return Diagnostic(
        "syntax",
        f'there is no entity "{name}"',
        span,
        detail=f"The entities are {quoted(listed)}.",
        hint=did_you_mean(name, listed),
    )


def bad_character(span: Span) -> Diagnostic:
    char = span.content
    shown = f"U+{ord(char):04X}" if len(char) == 1 else f'"{char}"'
    return Diagnostic("syntax", f"{shown} is not a character of XML", span)


def bad_comment(span: Span) -> Diagnostic:
    return Diagnostic(
        "syntax",
        'unexpected "--" in a comment',
        span,
        hint="XML has no two hyphens side by side in comments.",
    )


def bad_target(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "syntax", f'a processing instruction cannot be named "{name}"', span, hint="Choose another name."
    )


def bad_name(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "bad-name",
        f'"{_shortened(name)}" is not a name',
        span,
        hint="A name begins with a letter or an underscore, after a prefix and a colon if it has one.",
    )


def bad_namespace(span: Span, why: str) -> Diagnostic:
    return Diagnostic("bad-namespace", why, span, hint="Choose another prefix or another namespace.")


def computed_namespace(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-namespace",
        "the namespace of a declaration cannot be computed",
        span,
        hint="Write the namespace out; braces that belong to it are doubled.",
    )


def empty_namespace(span: Span, prefix: str) -> Diagnostic:
    return Diagnostic(
        "bad-namespace",
        f'prefix "{prefix}" is declared without a namespace',
        span,
        hint=f'Give it one: xmlns:{prefix}="...".',
    )


def declaring_attribute(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "bad-namespace",
        f'"{name}" declares a namespace, and is not an attribute',
        span,
        hint="Declare namespaces in the start tag of a constructor that is written out, or in the prolog.",
    )


def unquoted_attribute(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "syntax", f'attribute "{name}" has no value in quotes', span, hint=f'Write {name}="{{ ... }}".'
    )


def unsupported(span: Span, what: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("unsupported-xquery", f"{what} is not supported", span, hint=hint)


def bad_window(span: Span, why: str) -> Diagnostic:
    return Diagnostic(
        "bad-window",
        why,
        span,
        hint='Write "|count 10 step 5|" or "|time diff 60 step 15|" after the path of a for.',
    )


def too_deep(span: Span) -> Diagnostic:
    return Diagnostic(
        "too-deep", "the query is nested too deeply", span, hint="Name inner parts with declare function."
    )


def unbound_variable(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    listed = sorted(known)
    return Diagnostic(
        "unknown-variable",
        f'variable "${name}" is not bound',
        span,
        "not bound here",
        detail=f"Bound here: {', '.join('$' + each for each in listed)}." if listed else None,
        hint=_nearest(name, listed),
    )


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-function",
        f'function "{name}" does not exist',
        span,
        "no such function",
        hint=did_you_mean(name, known),
    )


def wrong_arguments(span: Span, name: str, least: int, most: int | None, given: int) -> Diagnostic:
    wanted = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
    plural = "" if wanted == "1" else "s"
    return Diagnostic(
        "wrong-arguments",
        f'function "{name}" takes {wanted} argument{plural}, not {given}',
        span,
        hint="Items that are one argument stand in parentheses of their own." if given > least else None,
    )


def unknown_prefix(span: Span, prefix: str) -> Diagnostic:
    return Diagnostic(
        "unknown-prefix",
        f'prefix "{prefix}" is not declared',
        span,
        hint=f'Write declare namespace {prefix} = "..."; before the query.',
    )


def declared_twice(span: Span, what: str) -> Diagnostic:
    return Diagnostic("declared-twice", f"{what} is declared twice", span, "already declared")


def repeated_attribute(span: Span, name: str) -> Diagnostic:
    return Diagnostic("declared-twice", f'attribute "{name}" is given twice', span, "already given")


def unknown_type(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic("unknown-type", f'there is no type "{name}"', span, hint=did_you_mean(name, known))


def no_cast(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "unknown-type",
        f'nothing can be cast to "{name}"',
        span,
        hint="Cast to one of its types: xs:double, xs:string.",
    )


def unnamed_input(span: Span, function: str) -> Diagnostic:
    return Diagnostic(
        "syntax",
        f"{function} takes one string, written out",
        span,
        hint=f'Write {function}("name"): what a query reads must be known before it runs.',
    )


def _nearest(name: str, known: Iterable[str]) -> str | None:
    hint = did_you_mean(name, known)
    return hint.replace('"', '"$', 1) if hint else None


def _shortened(content: str, size: int = 40) -> str:
    line = content.split("\n")[0]
    return line if len(line) <= size else f"{line[:size]}…"
