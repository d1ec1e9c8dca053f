"""Boxes: the steps of an explanation grouped for a picture, and the lines between them.

A chain of steps in one stage that the same queries use is one box, with at most one step that keeps state:

    ┌─────────────────────────────┐
    │ 4 map                       │
    │ 5 aggregate avg(speed) by k │
    │   accumulators of each group│
    │ 6 filter …                  │
    └─────────────────────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.physical.explain.costs import in_bytes, short
from slackwater.physical.explain.explanation import IN_PLACE, Exchange, Explanation
from slackwater.physical.explain.picture.labels import ROWS, cut, family, label, state_label
from slackwater.physical.explain.picture.layers import Item
from slackwater.physical.explain.words import described, state_in_words

CHARACTER = 6.85
"""The width of a character of the steps' font, a little more than that of the widest usual ones."""
LINE = 18.0
PADDING = 10.0
PILL = 20.0
_LONGEST = 40
_NARROWEST = 150.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box: its style, a word that stands out, and the rest."""

    style: str
    word: str
    rest: str = ""
    title: str = ""
    """The whole text, where the line may be cut."""
    query: int = -1
    """The number of the query that is answered."""


@dataclass(frozen=True, slots=True)
class Box:
    """Steps that are drawn as one, or what moves to a stage."""

    lane: int
    lines: tuple[Line, ...]
    family: str
    users: tuple[int, ...] = ()

    @property
    def is_exchange(self) -> bool:
        return self.family == "exchange"

    @property
    def item(self) -> Item:
        longest = max(len(f"{line.word} {line.rest}".strip()) for line in self.lines)
        if self.is_exchange:
            return Item(longest * CHARACTER + 2 * PADDING, PILL, self.lane, is_first=True)
        width = max(longest * CHARACTER + 2 * PADDING + 26, _NARROWEST)
        return Item(width, len(self.lines) * LINE + 2 * PADDING - 6, self.lane)


@dataclass(slots=True)
class Boxes:
    """What is drawn: boxes, inputs before what uses them, and lines between them."""

    boxes: list[Box] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)


def boxes_of(explanation: Explanation) -> Boxes:
    """The boxes and lines of a picture."""
    return _Boxing(explanation).boxes()


class _Boxing:
    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.graph = explanation.graph
        self.lanes = {name: lane for lane, (name, _) in enumerate(explanation.parts)}
        self.lane_of = {place: self.lanes[name] for place, (name, _) in explanation.works.items()}
        self.queries = {query.name: number for number, query in enumerate(explanation.queries)}
        self.takers: list[set[int]] = [set() for _ in self.graph.nodes]
        for place, node in enumerate(self.graph.nodes):
            for source in node.inputs:
                self.takers[source].add(place)

    def boxes(self) -> Boxes:
        drawn, box_of = Boxes(), dict[int, int]()
        chains = self._chains()
        pills = _Pills(self.explanation, drawn, box_of)
        for lane, name in enumerate(self.lanes):
            pills.add(name, lane)
            for chain in chains:
                if self.lane_of[chain[0]] == lane:
                    box_of.update(dict.fromkeys(chain, len(drawn.boxes)))
                    drawn.boxes.append(self._box(chain, lane))
                    pills.connect(chain[0], self.graph.nodes[chain[0]].inputs)
        return drawn

    def _chains(self) -> list[list[int]]:
        chains: list[list[int]] = []
        ends: dict[int, list[int]] = {}
        for place, node in enumerate(self.graph.nodes):
            source = node.inputs[0] if len(node.inputs) == 1 else -1
            if source in ends and self._continues(ends[source], place):
                chain = ends.pop(source)
            else:
                chain = []
                chains.append(chain)
            chain.append(place)
            ends[place] = chain
        return chains

    def _continues(self, chain: list[int], place: int) -> bool:
        """Whether the step goes on with a box."""
        last, uses = chain[-1], self.explanation.uses
        states = sum(bool(state_in_words(self.graph.nodes[at].step)) for at in (*chain, place))
        return (
            states <= 1
            and len(self.takers[last]) == 1
            and last not in self.graph.outputs.values()
            and self.lane_of[last] == self.lane_of[place]
            and uses[last] == uses[place]
        )

    def _box(self, chain: list[int], lane: int) -> Box:
        lines = [line for place in chain for line in self._lines(place)]
        families = [family(self.graph.nodes[place].step) for place in chain]
        states = [kind for kind, place in zip(families, chain, strict=True) if self._keeps(place)]
        main = next(iter([*states, *(kind for kind in families if kind != ROWS), *families]))
        users = tuple(self.queries[name] for name in self.explanation.uses[chain[-1]])
        return Box(lane, tuple(lines), main, users)

    def _keeps(self, place: int) -> bool:
        return bool(state_in_words(self.graph.nodes[place].step))

    def _lines(self, place: int) -> list[Line]:
        step = self.graph.nodes[place].step
        word, rest = label(step, self.explanation.clock)
        lines = [Line("step", word, cut(rest, _LONGEST - len(word)), described(step, self.explanation.clock))]
        if state := state_label(step):
            size = self._size(place)
            lines.append(Line("state", "", f"keeps {state}{size}", f"keeps {state_in_words(step)}{size}"))
        for growth in self.explanation.growing.get(place, ()):
            where = "" if growth.window is None else f" {growth.window.content}"
            whole = f"{growth.warning.message}. {growth.warning.hint}"
            lines.append(Line("grows", "", cut(f"grows without bound:{where}", _LONGEST), whole))
        for name, at in self.graph.outputs.items():
            if at == place:
                number = self.queries[name]
                shown = f"{number + 1}" if len(self.queries) > 1 else ""
                lines.append(Line("answer", cut(name, _LONGEST), shown, name, number))
        return lines

    def _size(self, place: int) -> str:
        """The estimated size of the state of a step."""
        costs = self.explanation.costs
        one = None if costs is None else costs.of_steps.get(place)
        return "" if one is None or not one.state else f": {short(one.state)}, {in_bytes(one.state_bytes)}"


class _Pills:
    """The exchanges as boxes at the top of the lane that takes them."""

    def __init__(self, explanation: Explanation, drawn: Boxes, box_of: dict[int, int]) -> None:
        self.explanation, self.exchanges = explanation, list(explanation.exchanges)
        self.drawn, self.box_of = drawn, box_of
        self.of_taker: dict[tuple[int, int], list[int]] = {}
        """By a step and one of its inputs, the exchanges between them."""

    def add(self, name: str, lane: int) -> None:
        """Draw what moves to a stage, elements and partial sums of them as one."""
        own = [one for one in self.exchanges if one.target == name and one.way != IN_PLACE and one.takers]
        sums = {(one.move.node, one.takers) for one in own if one.move.sums_for is not None}
        whole = {(one.move.node, one.takers) for one in own if one.move.sums_for is None}
        for one in own:
            pair = (one.move.node, one.takers)
            if one.move.sums_for is not None and pair in whole:
                continue
            pill = len(self.drawn.boxes)
            also = pair in sums
            whole_text = f"exchange {_way(one)}{', or partial sums if these are fewer' if also else ''}"
            text = f"{cut(_way(one), _LONGEST)}{self._bytes(one)}{' · Σ' if also else ''}"
            self.drawn.boxes.append(Box(lane, (Line("exchange", text, "", whole_text),), "exchange"))
            self.drawn.lines.append((self.box_of[one.move.node], pill))
            for taker in one.takers:
                self.of_taker.setdefault((taker, one.move.node), []).append(pill)

    def _bytes(self, exchange: Exchange) -> str:
        """How much moves, as far as it is estimated."""
        costs = self.explanation.costs
        if costs is None:
            return ""
        moved = costs.exchanged(self.explanation.graph, exchange.move.node)
        return f" · {in_bytes(moved)}/{costs.unit[0]}"

    def connect(self, place: int, inputs: tuple[int, ...]) -> None:
        """Draw the lines to the box of a step, from exchanges or directly."""
        box = self.box_of[place]
        ways = {key: pills for key, pills in self.of_taker.items() if key[0] == place}
        for pills in ways.values():
            self.drawn.lines += [(pill, box) for pill in pills]
        for source in dict.fromkeys(inputs):
            if (place, source) not in ways:
                self.drawn.lines.append((self.box_of[source], box))


def _way(exchange: Exchange) -> str:
    if exchange.way == "by key":
        return f"by {', '.join(exchange.move.key or ())}"
    return exchange.way
