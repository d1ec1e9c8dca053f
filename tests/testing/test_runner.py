"""Cases are run in every way, and what is wrong is found in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from slackwater.algebra import Operator
from slackwater.algebra.values import NAN
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.engines.engine import Engine, Reference, engines
from slackwater.reference.bags import Changes
from slackwater.testing.compare import bag_differences, change_differences
from slackwater.testing.cqt import parse
from slackwater.testing.engines import choose_engines
from slackwater.testing.report import report
from slackwater.testing.runner import Outcome, run

STORY = """
stream trades (symbol STRING, price INT)
time | symbol | price
1    | A      | 10
4    | B      | 30
7    | A      | 20

query
SELECT symbol, price FROM trades [RANGE 5 SECONDS] WHERE price >= 20

at 4
SYMBOL | Price
B      | 30

changes
time | op | symbol | price
4    | +  | B      | 30
7    | +  | A      | 20
10   | -  | B      | 30
13   | -  | A      | 20
"""


def outcome(story: str, by: Sequence[Engine] | None = None, seed: int = 1) -> Outcome:
    (case,) = parse(Text("story.cqt", story))
    return run(case, by or engines(), seed)


class Cheat:
    """An engine that looks ahead: right at once, wrong in epochs."""

    name = "cheat"

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        answer = Reference().run(plan, inputs, [], until)
        return {t: bag for t, bag in answer.items() if t not in cuts} if cuts else answer


def test_a_story_that_is_true_passes() -> None:
    assert outcome(STORY).passed


def test_an_engine_that_depends_on_the_cuts_is_found_out() -> None:
    failures = outcome(STORY, [Cheat()]).failures
    assert [(failure.check.kind, failure.way and failure.way.cuts) for failure in failures] == [
        ("at", "one epoch per instant"),
        ("changes", "one epoch per instant"),
    ]


def test_a_failure_shows_its_rows_instant_by_instant() -> None:
    text = report(outcome(STORY.replace("10   | -", "9    | -")))
    assert text == "\n".join(
        [
            "✗ story",
            "  changes (story.cqt:15), reference, all at once",
            "             | time | op | symbol | price",
            "  missing    | 9    | -  | B      | 30",
            "  unexpected | 10   | -  | B      | 30",
        ]
    )


def test_the_same_seed_gives_the_same_cuts() -> None:
    class Watched(Reference):
        def __init__(self) -> None:
            self.cuts: list[list[int]] = []

        def run(
            self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
        ) -> Changes:
            self.cuts.append(list(cuts))
            return super().run(plan, inputs, cuts, until)

    seen = []
    for seed in (7, 7, 8):
        engine = Watched()
        assert outcome(STORY, [engine], seed).passed
        seen.append(engine.cuts)
    assert seen[0] == seen[1] != seen[2]


def test_a_query_that_must_be_refused_passes_with_its_code() -> None:
    story = STORY.partition("query")[0] + "query\nSELECT prise FROM trades\n\nerror unknown-column\n"
    assert outcome(story).passed


def test_a_query_may_be_refused_while_it_runs() -> None:
    story = STORY.partition("query")[0] + "query\nSELECT RSTREAM(price) FROM trades\n\nerror endless-stream\n"
    assert outcome(story).passed


def test_an_empty_answer_is_the_heading_alone() -> None:
    assert outcome(STORY + "\nat 20\nsymbol | price\n").passed


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("reference", ["reference"]),
        ("kernels", ["kernels"]),
        ("spark", ["spark"]),
        ("both", ["reference", "kernels"]),
        ("all", ["reference", "kernels", "spark"]),
    ],
)
def test_a_name_chooses_engines(word: str, names: list[str]) -> None:
    assert [engine.name for engine in choose_engines(word)] == names


def test_every_engine_has_to_refuse_what_must_be_refused() -> None:
    class Lenient(Reference):
        def run(
            self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
        ) -> Changes:
            return {}

    story = STORY.partition("query")[0] + "query\nSELECT RSTREAM(price) FROM trades\n\nerror endless-stream\n"
    (failure,) = outcome(story, [Reference(), Lenient()]).failures
    assert "is not refused" in failure.reason


def test_an_unknown_engine_is_reported() -> None:
    with pytest.raises(EngineError) as caught:
        choose_engines("flink")
    assert caught.value.diagnostics[0].code == "unknown-engine"


def test_floats_agree_to_nine_digits() -> None:
    assert bag_differences({(1, 0.1 + 0.2): 2}, {(1, 0.3): 2}) == []
    assert len(bag_differences({(1, 0.3): 1}, {(1, 0.3001): 1})) == 2
    assert bag_differences({(NAN,): 1}, {(NAN,): 1}) == []


def test_one_close_row_does_not_stand_for_two() -> None:
    (left,) = bag_differences({(0.1 + 0.2,): 2}, {(0.3,): 1})
    assert (left.row, left.copies) == ((0.1 + 0.2,), 1)


def test_changes_are_held_against_each_other_by_sign() -> None:
    differences = change_differences({1: {("a",): 1}}, {1: {("a",): -1}})
    assert [(difference.op, difference.copies) for difference in differences] == [("-", -1), ("+", 1)]
