"""One step of validation, and its diagnostics: an unexpected element or text, a missing element.

The caller adds the position in the document.
"""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, did_you_mean
from slackwater.schema import problems
from slackwater.schema.schema import Kind, Type


def step(type: Type, state: int, name: str) -> int | None:
    """The state after a child of this name; None where it is not allowed."""
    try:
        return type.automaton.moves[state][name]
    except KeyError:
        return None


def unexpected_element(type: Type, state: int, name: str, parent: str) -> Diagnostic:
    """`name` occurs in `parent`, whose automaton is in `state` and has no move for it."""
    return problems.UNEXPECTED_ELEMENT.at(
        name=name,
        expected=_expectation(type, state, parent),
        hint=did_you_mean(name, type.automaton.expected(state)),
    )


def missing_element(type: Type, state: int, parent: str) -> Diagnostic:
    """`parent` ends while its automaton is in `state`, which is not accepting."""
    return problems.MISSING_ELEMENT.at(parent=parent, expected=_expectation(type, state, parent))


def unexpected_text(type: Type, parent: str) -> Diagnostic:
    """There is text in `parent`, whose content is elements only, or nothing."""
    holds = f"contains {type}" if type.kind is not Kind.EMPTY else "is declared to be empty"
    return problems.UNEXPECTED_TEXT.at(parent=parent, holds=holds)


def _expectation(type: Type, state: int, parent: str) -> str:
    """What can come next and, except for the document, the whole content model."""
    known = type.automaton.expected(state)
    place = parent if type.name == "the document" else f'"{parent}"'
    end = f"the end of {place}"
    words = [f'"{name}"' for name in known] + ([end] if type.automaton.may_end(state) else [])
    choice = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    sentence = f"Expected {choice}" if known else f"Expected {end}"
    return f"{sentence}." if type.name == "the document" else f"{sentence}; {place} contains {type}."
