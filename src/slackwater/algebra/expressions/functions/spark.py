"""How Spark SQL spells the functions that mean the same there, for every value of their arguments.

Arguments that a function compares, or chooses one of, have one type: beside another number Spark compares a
bigint as a double. A function that may fail has no spelling, since the error has to be ours, with its place
in the query; nor has one whose result depends on the session's time zone, on the version of Unicode (`upper`)
or on how a library rounds (`ln`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Spelling = Callable[[Sequence[str]], str]
"""The call in Spark SQL, from the arguments in Spark SQL."""


def call(name: str) -> Spelling:
    return lambda arguments: f"{name}({', '.join(arguments)})"


def infix(operator: str) -> Spelling:
    return lambda arguments: f"({f' {operator} '.join(arguments)})"


def form(template: str) -> Spelling:
    """The arguments in place of `{0}`, `{1}`, …"""
    return lambda arguments: template.format(*arguments)


def one_of(name: str) -> Spelling:
    """A call that Spark has for two arguments and more; of one it is the argument."""
    return lambda arguments: arguments[0] if len(arguments) == 1 else call(name)(arguments)


def membership(arguments: Sequence[str]) -> str:
    return f"({arguments[0]} IN ({', '.join(arguments[1:])}))"


def trimming(side: str) -> Spelling:
    """Of blanks, or of the characters that the second argument lists."""

    def spelling(arguments: Sequence[str]) -> str:
        text, *characters = arguments
        return f"trim({side} {''.join(characters)} FROM {text})"

    return spelling


def located(arguments: Sequence[str]) -> str:
    """The position of a text in another; Spark counts in 32 bits."""
    start = [f"CAST(least(greatest({start}, 0), {(1 << 31) - 1}) AS INT)" for start in arguments[2:]]
    return f"CAST(locate({', '.join([*arguments[:2], *start])}) AS BIGINT)"
