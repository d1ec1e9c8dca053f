"""constraints.txt: content models and the constraints that hold, by name; those not listed do not hold.

`past` lists the states from which on none of the names can come, by the symbol that leads to them and its
place in the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path

import pytest

from schema.annotated import annotated
from slackwater.base.span import Text
from slackwater.schema import NO_SCHEMA, TEXT, read_schema
from slackwater.schema.automaton import Automaton
from slackwater.schema.schema import UNKNOWN

FILE = Path(__file__).with_name("constraints.txt")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass
class Case:
    title: str
    model: str = ""
    claims: dict[str, str] = field(default_factory=dict)

    @property
    def automaton(self) -> Automaton:
        root = read_schema(Text("model", f"<!ELEMENT root {self.model}>")).root("root")
        assert root is not None
        return root.automaton

    def names(self, claim: str) -> set[str]:
        return set(self.claims.get(claim, "").split())

    def pairs(self, claim: str) -> set[tuple[str, ...]]:
        return {tuple(pair.split()) for pair in self.claims.get(claim, "").split(";") if pair}


def cases() -> Iterator[Case]:
    for block in FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        first, *lines = block.splitlines()
        case = Case(first.removeprefix("# "))
        for line in lines:
            claim, _, value = line.partition("  ")
            if claim == "model":
                case.model = value.strip()
            else:
                case.claims[claim] = value.strip()
        yield case


CASES = list(cases())


@pytest.fixture(params=CASES, ids=[case.title for case in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


def test_the_listed_pairs_are_ordered_and_the_others_are_not(case: Case) -> None:
    automaton = case.automaton
    for a, b in case.pairs("ordered"):
        assert automaton.ordered(a, b), (a, b)
    for a, b in case.pairs("unordered"):
        assert not automaton.ordered(a, b), (a, b)


def test_cardinalities_are_those_listed(case: Case) -> None:
    automaton = case.automaton
    known = {*automaton.symbols, *case.names("at most one")}
    assert {name for name in known if automaton.at_most_one(name)} == case.names("at most one")
    assert {name for name in known if automaton.exactly_one(name)} == case.names("exactly one")


def test_pairs_that_exclude_each_other_are_those_listed(case: Case) -> None:
    automaton = case.automaton
    listed = {frozenset(pair) for pair in case.pairs("excludes")}
    known = {*automaton.symbols, *(name for pair in listed for name in pair)}
    assert {
        frozenset(pair) for pair in combinations(sorted(known), 2) if not automaton.possible(pair)
    } == listed


def test_a_set_is_past_in_the_states_listed(case: Case) -> None:
    automaton = case.automaton
    labels = {0: "start", automaton.end: "end"}
    for row in automaton.moves:
        for name, state in row.items():
            labels[state] = name + str(state).translate(SUBSCRIPTS)
    for claim, value in case.claims.items():
        if claim.startswith("past "):
            table = automaton.past_table(claim.split()[1:])
            assert {labels[state] for state, past in enumerate(table) if past} == set(value.split())


def test_where_nothing_is_known_nothing_is_ordered_and_nothing_past() -> None:
    automaton = UNKNOWN.automaton
    for a, b in product(("a", "b", TEXT), repeat=2):
        assert not automaton.ordered(a, b)
    assert not automaton.at_least_one("a")
    assert automaton.possible(["a", "b"], ["c"])
    assert automaton.past_table(["a"]) == (False, True)
    marked = annotated(automaton, [["a"], []])
    assert (marked.first, marked.moves[0]["whatever"], marked.end) == (0b10, (0, 0), (0b01,))


def test_a_document_without_a_schema_still_has_one_root() -> None:
    automaton = NO_SCHEMA.document.automaton
    assert automaton.at_most_one("a")
    assert not automaton.possible(["a", "b"])
    assert not automaton.at_least_one("a")
    marked = annotated(automaton, [["a"]])
    assert (marked.first, marked.moves[0]["b"], marked.end) == (0, (1, 0), (1, 1))
