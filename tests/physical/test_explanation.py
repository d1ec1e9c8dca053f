"""Explanations as data: what they say about rules, state, exchanges and sharing, and in which keys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from physical.programs import ALL_PAIRS, ANSWERED, GROWING, PROGRAMS, THREE, TWO, explained
from slackwater.optimize import PHASES
from slackwater.physical.explain.as_json import VERSION, as_data, as_json
from slackwater.physical.explain.text import explained_full_points

PAGE = Path(__file__).parents[2] / "docs" / "explain.md"
LAWS = {rule.name: rule.law for phase in PHASES for rule in phase.rules}


COSTS = {"explanation": {"cost"}, "steps": {"estimate"}, "exchanges": {"bytes"}}
"""The keys that are there if the cost is asked for, too."""


def data(program: str, cost: bool = False) -> dict[str, Any]:
    return as_data(explained(program, cost))


def keys_in(value: object, path: str = "") -> dict[str, set[str]]:
    """The keys of each kind of record in the JSON, by its path."""
    shapes: dict[str, set[str]] = {}
    if isinstance(value, dict):
        shapes[path or "explanation"] = set(value)
        for key, inner in value.items():
            for place, names in keys_in(inner, f"{path}.{key}".strip(".")).items():
                shapes[place] = shapes.get(place, set()) | names
    elif isinstance(value, list):
        for inner in value:
            for place, names in keys_in(inner, path).items():
                shapes[place] = shapes.get(place, set()) | names
    return shapes


def documented() -> dict[str, set[str]]:
    """The keys in the tables of the page: a heading `### path`, then a table with a key in each row."""
    sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        section.partition("\n")[0].strip().strip("`"): set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE))
        for section in sections
    }


def test_every_key_is_documented_and_every_documented_key_is_there() -> None:
    shapes: dict[str, set[str]] = {}
    for program in PROGRAMS:
        for path, keys in keys_in(data(program, cost=True)).items():
            shapes.setdefault(path, keys)
            assert shapes[path] == keys, f"{path} has other keys in {program}"
    pages = documented()
    same = {
        "queries.after": "queries.before",
        "queries.columns": "columns",
        "steps.columns": "columns",
        "steps.grows": "queries.warnings",
    }
    for path, keys in shapes.items():
        assert pages[same.get(path, path)] == keys, path
    assert pages.keys() == {same.get(path, path) for path in shapes}


@pytest.mark.parametrize("program", PROGRAMS)
def test_estimates_are_there_if_they_are_asked_for(program: str) -> None:
    plain, priced = keys_in(data(program)), keys_in(data(program, cost=True))
    for path, keys in plain.items():
        assert priced[path] - keys == COSTS.get(path, set())
    assert priced.keys() - plain.keys() == {"cost", "steps.estimate"}


def test_the_cost_is_the_sum_of_the_estimates() -> None:
    priced = data(TWO, cost=True)
    estimates = [step["estimate"] for step in priced["steps"] if step["estimate"] is not None]
    assert priced["cost"]["work"] == pytest.approx(sum(one["work"] for one in estimates))
    assert priced["cost"]["state_rows"] == pytest.approx(sum(one["state_rows"] for one in estimates))
    assert priced["cost"]["per"] == "second"
    assert priced["cost"]["by_default"]
    moved = sum(exchange["bytes"] for exchange in priced["exchanges"])
    assert priced["cost"]["exchanged_bytes"] == moved > 0


def test_the_json_is_the_data_and_names_its_version() -> None:
    explanation = explained(TWO)
    assert json.loads(as_json(explanation)) == as_data(explanation)
    assert as_data(explanation)["version"] == VERSION == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_operators_and_steps_come_after_their_inputs(program: str) -> None:
    explanation = data(program)
    for query in explanation["queries"]:
        for plan in (query["before"], query["after"]):
            for number, operator in enumerate(plan):
                assert all(below < number for below in (*operator["inputs"], *operator["subqueries"]))
        assert not any(operator["subqueries"] for operator in query["after"])
    for number, step in enumerate(explanation["steps"]):
        assert step["step"] == number
        assert all(source < number for source in step["inputs"])
    in_stages = [step for stage in explanation["stages"] for step in stage["steps"]]
    assert sorted(in_stages) == list(range(len(explanation["steps"])))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_step_between_stages_is_an_exchange(program: str) -> None:
    explanation = data(program)
    steps = explanation["steps"]
    moves = {
        (exchange["step"], taker) for exchange in explanation["exchanges"] for taker in exchange["taken_by"]
    }
    for step in steps:
        for source in step["inputs"]:
            is_apart = steps[source]["stage"] != step["stage"]
            assert ((source, step["step"]) in moves) == is_apart or step["operation"] == "Aggregate"


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_rule_is_listed_with_its_law(program: str) -> None:
    for query in data(program)["queries"]:
        assert query["rules"]
        assert all(LAWS[rule["rule"]] == rule["law"] for rule in query["rules"])


def test_a_shared_step_names_the_queries_that_use_it() -> None:
    explanation = data(TWO)
    both = ["query 1", "query 2"]
    operations = [explanation["steps"][shared["step"]]["operation"] for shared in explanation["shared"]]
    assert operations == ["Read", "RangeWindow"]
    assert all(shared["queries"] == both for shared in explanation["shared"])
    (aggregate,) = (step for step in explanation["steps"] if step["operation"] == "Aggregate")
    assert aggregate["queries"] == ["query 1"]


def test_a_query_that_is_answered_from_another_says_how() -> None:
    (answered,) = data(ANSWERED)["answered"]
    assert (answered["query"], answered["from"]) == ("query 2", "query 1")
    assert "b > 9" in answered["how"]
    assert "=" in answered["law"]


def test_queries_that_have_nothing_in_common_share_nothing() -> None:
    assert data("SELECT a FROM S; SELECT d FROM T;")["shared"] == []


def test_state_that_grows_is_at_the_step_that_keeps_it_with_what_would_bound_it() -> None:
    explanation = data(GROWING)
    growing = {step["operation"]: step["grows"] for step in explanation["steps"] if step["grows"]}
    assert growing.keys() == {"Join"}
    ((warning,),) = growing.values()
    assert (warning["code"], warning["line"]) == ("unbounded-state", 7)
    assert "[RANGE 1 HOUR]" in warning["hint"]
    assert explanation["queries"][0]["warnings"] == [warning]


def test_a_step_without_state_keeps_nothing_and_a_join_keeps_both_sides_by_key() -> None:
    steps = data(THREE)["steps"]
    assert all(step["keeps"] is None for step in steps if step["operation"] in ("Read", "Map", "Filter"))
    joins = [step for step in steps if step["operation"] == "Join"]
    assert [join["keeps"] for join in joins] == ["the elements of both sides until they end"] * 2
    assert [join["placed_by"] for join in joins] == [[["S.a"], ["T.a"]], [["T.d"], ["U.d"]]]


def test_exchanges_say_how_elements_are_distributed() -> None:
    ways = {exchange["way"]: exchange["key"] for exchange in data(ALL_PAIRS)["exchanges"]}
    assert ways == {"by key": ["S.a"], "to every partition": []}
    aggregated = data("SELECT COUNT(*) AS n FROM S [RANGE 1 HOUR];")["exchanges"]
    assert [(exchange["way"], exchange["sums_for"] is None) for exchange in aggregated] == [
        ("to the first partition", True),
        ("to the first partition", False),
    ]


def test_full_synchronization_points_are_those_that_all_sources_have() -> None:
    pairs = "SELECT STREAMED x.a FROM R(S) SYNC BY EVERY 2 AS x, R(T) SYNC BY EVERY 3 AS y WHERE x.a = y.a;"
    assert explained_full_points(explained(pairs)) == "query 1: every 6 seconds"
    assert explained_full_points(explained(TWO)) == ""
