"""The words of a content model by derivatives (Brzozowski), independent of the automata."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import assert_never

from slackwater.schema.content import EMPTY, Choice, Content, Interleave, Repeat, Sequence, Symbol, symbols

NOTHING = Choice(())
Word = tuple[str, ...]


def nullable(content: Content) -> bool:
    match content:
        case Symbol():
            return False
        case Sequence(parts) | Interleave(parts):
            return all(map(nullable, parts))
        case Choice(parts):
            return any(map(nullable, parts))
        case Repeat(part, low, _):
            return low == 0 or nullable(part)
    assert_never(content)


@lru_cache(maxsize=100_000)
def derivative(content: Content, letter: str) -> Content:
    """The content that may follow the letter."""
    match content:
        case Symbol(name):
            return EMPTY if name == letter else NOTHING
        case Choice(parts):
            return either(*(derivative(part, letter) for part in parts))
        case Sequence(()):
            return NOTHING
        case Sequence((first, *others)):
            rest = Sequence(tuple(others))
            consumed = both(derivative(first, letter), rest)
            return either(consumed, derivative(rest, letter)) if nullable(first) else consumed
        case Repeat(part, low, high):
            if high == 0:
                return NOTHING
            rest = Repeat(part, max(low - 1, 0), None if high is None else high - 1)
            return both(derivative(part, letter), rest)
        case Interleave(parts):
            return either(
                *(
                    apart(parts[:index], derivative(part, letter), parts[index + 1 :])
                    for index, part in enumerate(parts)
                )
            )
    assert_never(content)


def either(*parts: Content) -> Content:
    alternatives = tuple(dict.fromkeys(part for part in parts if part != NOTHING))
    return alternatives[0] if len(alternatives) == 1 else Choice(alternatives)


def both(one: Content, other: Content) -> Content:
    if NOTHING in (one, other):
        return NOTHING
    if one == EMPTY:
        return other
    return one if other == EMPTY else Sequence((one, other))


def apart(before: tuple[Content, ...], here: Content, after: tuple[Content, ...]) -> Content:
    """An interleaving in which one part has begun; its rest is a part again, since parts are symbols."""
    if here == NOTHING:
        return NOTHING
    remaining = (*before, *(() if here == EMPTY else (here,)), *after)
    return Interleave(remaining)  # type: ignore[arg-type]


def has_words(content: Content) -> bool:
    """Whether the content has any word."""
    match content:
        case Symbol():
            return True
        case Choice(parts):
            return any(map(has_words, parts))
        case Sequence(parts) | Interleave(parts):
            return all(map(has_words, parts))
        case Repeat(part, low, _):
            return low == 0 or has_words(part)
    assert_never(content)


def words(content: Content, longest: int) -> Iterator[Word]:
    """Every word of at most this length, the shorter ones first."""
    level: list[tuple[Word, Content]] = [((), content)]
    for _ in range(longest + 1):
        yield from (word for word, rest in level if nullable(rest))
        level = [
            ((*word, letter), after)
            for word, rest in level
            for letter in symbols(content)
            if has_words(after := derivative(rest, letter))
        ]


def after(content: Content, word: Word) -> Content:
    for letter in word:
        content = derivative(content, letter)
    return content
