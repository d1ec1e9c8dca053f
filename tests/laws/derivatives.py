"""Content models read letter by letter (Brzozowski): the independent account of what their words are."""

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
    """What may follow the letter."""
    match content:
        case Symbol(name):
            return EMPTY if name == letter else NOTHING
        case Choice(parts):
            return either(*(derivative(part, letter) for part in parts))
        case Sequence(()):
            return NOTHING
        case Sequence((first, *others)):
            rest = Sequence(tuple(others))
            taken = both(derivative(first, letter), rest)
            return either(taken, derivative(rest, letter)) if nullable(first) else taken
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
    kept = tuple(dict.fromkeys(part for part in parts if part != NOTHING))
    return kept[0] if len(kept) == 1 else Choice(kept)


def both(one: Content, other: Content) -> Content:
    if NOTHING in (one, other):
        return NOTHING
    if one == EMPTY:
        return other
    return one if other == EMPTY else Sequence((one, other))


def apart(before: tuple[Content, ...], here: Content, after: tuple[Content, ...]) -> Content:
    """An interleaving of which one part has begun; parts are symbols, so what is left of one is one too."""
    if here == NOTHING:
        return NOTHING
    kept = (*before, *(() if here == EMPTY else (here,)), *after)
    return Interleave(kept)  # type: ignore[arg-type]


def alive(content: Content) -> bool:
    """There is a word at all."""
    match content:
        case Symbol():
            return True
        case Choice(parts):
            return any(map(alive, parts))
        case Sequence(parts) | Interleave(parts):
            return all(map(alive, parts))
        case Repeat(part, low, _):
            return low == 0 or alive(part)
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
            if alive(after := derivative(rest, letter))
        ]


def after(content: Content, word: Word) -> Content:
    for letter in word:
        content = derivative(content, letter)
    return content
