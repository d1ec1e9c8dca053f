"""The facts of a content model's automaton are those of its words, one by one.

Models are small, so that a word that breaks a law, if there is one, is short.
"""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from laws.derivatives import after, words
from laws.effort import trying
from schema.annotated import annotated
from slackwater.schema.content import Choice, Content, Interleave, Repeat, Sequence, Symbol, symbols
from slackwater.schema.glushkov import ambiguity, automaton

LETTERS = "abc"
LONGEST = 8
"""Twice around a loop of four."""

letters = st.sampled_from(LETTERS)


def models(leaves: int = 4) -> st.SearchStrategy[Content]:
    signs = st.sampled_from([(0, 1), (0, None), (1, None)])
    return st.recursive(
        st.builds(Symbol, letters),
        lambda inner: st.one_of(
            st.builds(lambda part, sign: Repeat(part, *sign), inner, signs),
            st.builds(lambda one, two: Sequence((one, two)), inner, inner),
            st.builds(lambda one, two: Choice((one, two)), inner, inner),
        ),
        max_leaves=leaves,
    )


counted = st.builds(
    lambda part, low, more: Repeat(part, low, low + more), models(2), st.integers(0, 2), st.integers(0, 2)
)
interleaved = st.lists(letters, unique=True, min_size=1, max_size=3).flatmap(
    lambda names: st.lists(
        st.sampled_from([(0, 1), (1, 1), (0, None)]), min_size=len(names), max_size=len(names)
    ).map(lambda bounds: Interleave(tuple(Repeat(Symbol(n), *b) for n, b in zip(names, bounds, strict=True))))
)
anything = st.one_of(models(), counted, interleaved)


def accepts(content: Content, word: tuple[str, ...]) -> bool:
    machine, state = automaton(content), 0
    for letter in word:
        if letter not in machine.moves[state]:
            return False
        state = machine.moves[state][letter]
    return machine.may_end(state)


@given(anything, st.lists(letters, max_size=LONGEST).map(tuple))
@trying(200)
def test_an_automaton_accepts_the_words_of_its_model(content: Content, word: tuple[str, ...]) -> None:
    assert accepts(content, word) == (word in set(words(content, len(word))))


@given(anything)
@trying(100)
def test_every_word_of_a_model_is_accepted(content: Content) -> None:
    for word in words(content, 5):
        assert accepts(content, word)


@given(anything, letters, letters)
@trying(200)
def test_ordered_says_that_no_a_comes_after_a_b(content: Content, a: str, b: str) -> None:
    assume(a != b)
    broken = any(b in word[: word_last(word, a)] for word in words(content, LONGEST) if a in word)
    assert automaton(content).ordered(a, b) is not broken


@given(anything, letters)
@trying(50)
def test_a_letter_that_occurs_is_not_ordered_with_itself(content: Content, a: str) -> None:
    machine = automaton(content)
    assert machine.ordered(a, a) == machine.never(a)


def word_last(word: tuple[str, ...], a: str) -> int:
    return len(word) - 1 - word[::-1].index(a)


@given(anything, letters)
@trying(200)
def test_cardinalities_are_those_of_the_words(content: Content, a: str) -> None:
    counts = {word.count(a) for word in words(content, LONGEST)}
    assume(counts)
    machine = automaton(content)
    assert machine.never(a) == (counts == {0})
    assert machine.at_most_one(a) == (max(counts) <= 1)
    assert machine.at_least_one(a) == (min(counts) >= 1)
    assert machine.exactly_one(a) == (counts == {1})


@given(anything, st.frozensets(letters), st.frozensets(letters))
@trying(200)
def test_possible_finds_a_word_that_has_these_and_lacks_those(
    content: Content, having: frozenset[str], without: frozenset[str]
) -> None:
    expected = any(having <= set(word) and not without & set(word) for word in words(content, LONGEST))
    assert automaton(content).possible(having, without) == expected


@given(anything, st.frozensets(letters), st.data())
@trying(200)
def test_a_set_is_past_when_none_of_it_is_being_read_or_in_any_completion(
    content: Content, names: frozenset[str], data: st.DataObject
) -> None:
    machine, state, word = automaton(content), 0, ()
    for _ in range(data.draw(st.integers(0, 3))):
        if not (moves := machine.expected(state)):
            break
        letter = data.draw(st.sampled_from(moves))
        state, word = machine.moves[state][letter], (*word, letter)
    coming = {letter for rest in words(after(content, word), 5) for letter in rest}
    assert {name for name in LETTERS if machine.may_come(state, name)} == coming
    assert machine.past(state, names) == (not names & {*coming, *word[-1:]})


@given(anything, st.lists(st.frozensets(letters), min_size=1, max_size=3))
@trying(100)
def test_each_set_becomes_past_once_and_at_the_first_moment(
    content: Content, sets: list[frozenset[str]]
) -> None:
    machine = automaton(content)
    marked, tables = annotated(machine, sets), [machine.past_table(names) for names in sets]
    for word in words(content, 4):
        state, fired = 0, [marked.first]
        for letter in word:
            assert marked.moves[state][letter][0] == machine.moves[state][letter]
            state, bits = marked.moves[state][letter]
            fired.append(bits)
        fired.append(marked.end[state])
        for bit, table in enumerate(tables):
            moments = [moment for moment, bits in enumerate(fired) if bits >> bit & 1]
            assert moments == [
                next(i for i, q in enumerate(trace(machine.moves, word, machine.end)) if table[q])
            ]


def trace(moves: object, word: tuple[str, ...], end: int) -> list[int]:
    states = [0]
    for letter in word:
        states.append(moves[states[-1]][letter])  # type: ignore[index]
    return [*states, end]


@given(models())
@trying(200)
def test_a_model_is_ambiguous_when_two_places_of_one_name_can_come_next(content: Content) -> None:
    """Brüggemann-Klein and Wood: words u x v and u y w of the marked model with x ≠ y of one symbol."""
    numbers = count(1)
    marked = mark(content, numbers)
    nexts: dict[tuple[str, ...], set[str]] = {}
    for word in words(marked, 6):
        for place, letter in enumerate(word):
            nexts.setdefault(word[:place], set()).add(letter)
    clash = any(len({name[0] for name in names}) < len(names) for names in nexts.values())
    assert (ambiguity(content) is not None) == clash


def mark(content: Content, numbers: count[int]) -> Content:
    match content:
        case Symbol(name):
            return Symbol(f"{name}{next(numbers)}")
        case Repeat(part, low, high):
            return Repeat(mark(part, numbers), low, high)
        case Sequence(parts):
            return Sequence(tuple(mark(part, numbers) for part in parts))
        case Choice(parts):
            return Choice(tuple(mark(part, numbers) for part in parts))
    pytest.fail(f"{content} is not marked")


@given(anything)
@trying(50)
def test_text_in_mixed_content_may_come_at_any_time(content: Content) -> None:
    mixed = automaton(content, mixed=True)
    plain = automaton(content)
    for name in symbols(content):
        assert mixed.ordered(name, "#text") == plain.never(name)
        assert not mixed.ordered("#text", name) or plain.never(name)
    assert not mixed.past(0, ["#text"])
    assert mixed.past(mixed.end, ["#text"])
    assert plain.never("#text")
