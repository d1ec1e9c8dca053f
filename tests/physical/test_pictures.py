"""Pictures of plans: complete, well-formed, by themselves, and without boxes that cover each other."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physical.programs import ANSWERED, GROWING, HALVES, PROGRAMS, THREE, TWO, explained
from slackwater.physical.explain.picture.arrange import arranged
from slackwater.physical.explain.picture.boxes import boxes_of
from slackwater.physical.explain.picture.labels import label, state_label
from slackwater.physical.explain.picture.layers import Item, Layers, crossings, layered
from slackwater.physical.explain.picture.places import monotonic
from slackwater.physical.explain.picture.svg import as_svg
from slackwater.physical.explain.words import state_in_words

SVG = "{http://www.w3.org/2000/svg}"


def texts(program: str) -> list[str]:
    root = ElementTree.fromstring(as_svg(explained(program), "a <title> & more"))
    for text in root.iter(f"{SVG}text"):
        for title in text.findall(f"{SVG}title"):
            title.text = ""
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_picture_is_well_formed_and_needs_nothing_from_elsewhere(program: str) -> None:
    picture = as_svg(explained(program), "a <title> & more")
    root = ElementTree.fromstring(picture)
    assert root.find(f"{SVG}title").text == "a <title> & more"  # type: ignore[union-attr]
    assert not re.search(r"<script|<image|<use|href|url\(|@import|@font-face", picture)
    assert "prefers-color-scheme:dark" in picture
    assert len(picture) < 100_000


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_step_query_and_exchange_is_in_the_picture(program: str) -> None:
    explanation = explained(program)
    drawn = boxes_of(explanation)
    lines = [line for box in drawn.boxes for line in box.lines]
    assert sum(line.style == "step" for line in lines) == len(explanation.graph.nodes)
    assert [line.title for line in lines if line.style == "answer"] == [
        query.name for query in sorted(explanation.queries, key=lambda q: explanation.graph.outputs[q.name])
    ]
    states = sum(bool(state_in_words(node.step)) for node in explanation.graph.nodes)
    assert sum(line.style == "state" for line in lines) == states
    moving = {exchange.move.node for exchange in explanation.exchanges if exchange.takers}
    drawn_from = {pair[0] for pair in drawn.lines if drawn.boxes[pair[1]].is_exchange}
    assert bool(moving) == bool(drawn_from)


@pytest.mark.parametrize("program", PROGRAMS)
def test_boxes_of_a_picture_do_not_overlap_and_are_in_their_lanes(program: str) -> None:
    explanation = explained(program)
    drawn = boxes_of(explanation)
    items = [box.item for box in drawn.boxes]
    check(items, drawn.lines, len(explanation.stages.stages) + 1)


def test_shared_steps_have_the_marks_of_their_queries() -> None:
    shown = texts(TWO)
    assert shown.count("1") == 3, "at the shared box, at its answer, and in the legend"
    assert "shared by these queries" in shown
    assert "shared by these queries" not in texts(THREE)


def test_with_many_queries_a_shared_step_has_their_number() -> None:
    program = " ".join(f"SELECT a, b FROM S [RANGE 1 MINUTE] WHERE b > {n};" for n in range(10))
    assert "10 queries" in texts(program)


def test_a_note_says_which_query_is_answered_from_which() -> None:
    assert any(text.startswith("query 2: answered from query 1") for text in texts(ANSWERED))


def test_state_that_grows_is_marked_and_the_note_says_what_would_bound_it() -> None:
    shown = texts(GROWING)
    assert "grows without bound: S" in shown
    assert any("such as [RANGE 1 HOUR]" in text for text in shown)
    assert not any("grows" in text for text in texts(TWO))


def test_a_picture_with_costs_has_sizes_of_state_and_bytes_of_exchanges() -> None:
    root = ElementTree.fromstring(as_svg(explained(THREE, cost=True), "costs"))
    shown = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert any(
        re.search(r"keeps both sides, until they end: [\d.]+k?, [\d.]+ [kM]?B", text) for text in shown
    )
    assert any(re.fullmatch(r"by S\.a · [\d.]+ k?B/s", text) for text in shown)


def test_labels_have_the_names_of_aggregates_without_the_numbers_of_their_arguments() -> None:
    assert not [text for text in texts(THREE) if re.search(r"\b\d+: ", text)]


def test_every_step_has_a_label_and_one_for_its_state_if_it_keeps_something() -> None:
    for program in PROGRAMS:
        explanation = explained(program)
        for node in explanation.graph.nodes:
            assert label(node.step, explanation.clock)[0]
            assert bool(state_label(node.step)) == bool(state_in_words(node.step))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Item], list[tuple[int, int]], int]:
    """Items in lanes, in an order in which lines lead forward, and such lines."""
    count = draw(st.integers(1, 14))
    lanes = sorted(draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)))
    sizes = st.integers(20, 400)
    items = [Item(draw(sizes), draw(st.integers(10, 90)), lane) for lane in lanes]
    pairs = [(a, b) for b in range(count) for a in range(b)]
    lines = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)) if pairs else []
    return items, lines, max(lanes) + 1


def check(items: list[Item], lines: list[tuple[int, int]], lanes: int) -> None:
    at = arranged(items, lines, lanes)
    for one, (item, (x, y)) in enumerate(zip(items, at.places, strict=True)):
        top, bottom = at.bands[item.lane]
        assert top <= y
        assert y + item.height <= bottom + 1e-6
        assert x >= -1e-6
        assert x + item.width <= at.width + 1e-6
        for other in range(one):
            a, b = at.places[other]
            beside = a + items[other].width <= x + 1e-6 or x + item.width <= a + 1e-6
            apart = b + items[other].height <= y + 1e-6 or y + item.height <= b + 1e-6
            assert beside or apart
    for (source, target), points in zip(lines, at.lines, strict=True):
        assert points[0][1] == at.places[source][1] + items[source].height
        assert points[-1][1] == at.places[target][1]
        heights = [y for _, y in points]
        assert heights == sorted(heights), "a line goes down only"


@given(graphs())
def test_items_do_not_overlap_and_lines_go_down(graph: tuple[list[Item], list[tuple[int, int]], int]) -> None:
    check(*graph)


@given(graphs())
def test_ordering_never_adds_crossings(graph: tuple[list[Item], list[tuple[int, int]], int]) -> None:
    items, lines, _ = graph
    layers = layered(items, lines, 1_000, 20)
    unordered = Layers(
        [sorted(row) for row in layers.rows],
        layers.lanes,
        layers.widths,
        layers.paths,
        layers.above,
        layers.below,
    )
    assert crossings(layers) <= crossings(unordered)


@given(st.lists(st.floats(-100, 100), max_size=8))
def test_the_monotonic_sequence_is_monotonic_and_keeps_the_mean(values: list[float]) -> None:
    result = monotonic(values)
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(result))
    assert sum(result) == pytest.approx(sum(values), abs=1e-6)
    assert monotonic(sorted(values)) == sorted(values)


def test_a_halved_join_draws_all_of_its_steps() -> None:
    assert sum(text.startswith("join ") for text in texts(HALVES)) >= 3
