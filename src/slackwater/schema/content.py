"""Content models: regular expressions over the names of child elements.

    (title, (author+ | editor+), publisher?)

is `Sequence(Symbol(title), Choice(Repeat(Symbol(author), 1), …), Repeat(Symbol(publisher), 0, 1))`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

_SIGNS = {(0, 1): "?", (0, None): "*", (1, None): "+"}


@dataclass(frozen=True, slots=True)
class Symbol:
    """One child of this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """All parts, one after the other; no parts: the empty word."""

    parts: tuple[Content, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the parts; no parts: no word at all."""

    parts: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """From `low` to `high` times the part; no `high`: unbounded."""

    part: Content
    low: int = 0
    high: int | None = None

    def __post_init__(self) -> None:
        if self.low < 0 or (self.high is not None and self.high < self.low):
            raise ValueError(f"nothing is repeated {self.low} to {self.high} times")


@dataclass(frozen=True, slots=True)
class Interleave:
    """All parts in any order (`xs:all`); each is a symbol or a repeated symbol."""

    parts: tuple[Symbol | Repeat, ...]


Content = Symbol | Sequence | Choice | Repeat | Interleave
EMPTY = Sequence()


def symbols(content: Content) -> tuple[str, ...]:
    """symb(ρ), in the order of first occurrence."""
    return tuple(dict.fromkeys(_names(content)))


def _names(content: Content) -> list[str]:
    match content:
        case Symbol(name):
            return [name]
        case Repeat(part):
            return _names(part)
        case Sequence(parts) | Choice(parts) | Interleave(parts):
            return [name for part in parts for name in _names(part)]
    assert_never(content)


def content_text(content: Content) -> str:
    """The content model in DTD syntax, extended by counts and `&`."""
    match content:
        case Symbol(name):
            return name
        case Repeat(part, low, high):
            sign = _SIGNS.get((low, high)) or f"{{{low},{'' if high is None else high}}}"
            inner = content_text(part)
            return f"{inner}{sign}" if isinstance(part, Symbol) or inner[0] == "(" else f"({inner}){sign}"
        case Sequence(parts):
            return f"({', '.join(map(content_text, parts))})"
        case Choice(parts):
            return f"({' | '.join(map(content_text, parts))})"
        case Interleave(parts):
            return f"({' & '.join(map(content_text, parts))})"
    assert_never(content)
