"""One step of validation: what is said when an element comes that cannot, or is missing at a closing tag."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.schema.schema import Type


def step(type: Type, state: int, name: str) -> int | None:
    """The state after a child of this name; none where it cannot come."""
    try:
        return type.automaton.moves[state][name]
    except KeyError:
        return None


def unexpected_element(
    type: Type, state: int, name: str, parent: str, *, span: Span | None = None, where: str | None = None
) -> Diagnostic:
    """`name` came in `parent`, whose automaton is in `state`, and has no move for it."""
    known = type.automaton.expected(state)
    return Diagnostic(
        "unexpected-element",
        f'element "{name}" cannot stand here',
        span=span,
        where=where,
        label="the schema does not allow it here" if span else "",
        detail=_expectation(type, state, parent),
        hint=did_you_mean(name, known),
    )


def missing_element(
    type: Type, state: int, parent: str, *, span: Span | None = None, where: str | None = None
) -> Diagnostic:
    """`parent` ends while its automaton is in `state`, which is not accepting."""
    return Diagnostic(
        "missing-element",
        f'element "{parent}" ends too early',
        span=span,
        where=where,
        label="something is missing before it" if span else "",
        detail=_expectation(type, state, parent),
    )


def unexpected_text(
    type: Type, parent: str, *, span: Span | None = None, where: str | None = None
) -> Diagnostic:
    """There is text in `parent`, whose content is elements only, or nothing."""
    return Diagnostic(
        "unexpected-text",
        f'text cannot stand in element "{parent}"',
        span=span,
        where=where,
        label="the schema does not allow it here" if span else "",
        detail=f'"{parent}" holds {type}.'
        if str(type) != "EMPTY"
        else f'"{parent}" is declared to be empty.',
    )


def _expectation(type: Type, state: int, parent: str) -> str:
    known = type.automaton.expected(state)
    place = parent if parent == "the document" else f'"{parent}"'
    end = f"the end of {place}"
    if not known:
        return f"Only {end} can come here; {place} holds {type}."
    choice = f"{quoted(known)} or {end}" if type.automaton.may_end(state) else _either(known)
    return f"Here can come {choice}; {place} holds {type}."


def _either(names: tuple[str, ...]) -> str:
    return quoted(names).replace(" and ", " or ")
