"""Skipping elements gives the same events, at the same places, as reading all and dropping them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.xml import Parser, Skipper
from slackwater.xml.errors import XmlError

NAMES = ("a", "ab", "item", "items")
SKIPPED = frozenset({"ab", "item"})

Event = tuple[object, ...]


@dataclass(frozen=True)
class Element:
    name: str
    attributes: str
    space: str
    children: tuple[Element | str, ...] = ()

    def serialize(self, inside: frozenset[str] = frozenset()) -> str:
        """Empty for an element of a skipped name inside another of that name: no schema allows it."""
        if self.name in inside:
            return ""
        within = inside | ({self.name} & SKIPPED)
        body = "".join(c if isinstance(c, str) else c.serialize(within) for c in self.children)
        head = f"<{self.name}{self.attributes}{self.space}"
        return f"{head}>{body}</{self.name}{self.space}>" if body else f"{head}/>"


names = st.sampled_from(NAMES)
attributes = st.sampled_from(["", ' x="1"', """ x=">" y='/>'""", ' x="/item>"', '\nx="ä"', " x='\"'"])
spaces = st.sampled_from(["", "", " ", "\n"])
lookalikes = st.sampled_from(
    ["<item>", "</item>", "<ab", "</ab>", "]]", "--", "?", "<items/>", "ä\n", "<!", "\r\n"]
)
clutter = st.lists(lookalikes, max_size=3).map("".join)
texts = st.one_of(
    st.sampled_from(["", "text", "ä\n", " ! ? > ", "&lt;item&gt;", "\r\n", "]", "/>"]),
    clutter.map(lambda inner: f"<!-- {inner.replace('--', '')} -->"),
    clutter.map(lambda inner: f"<![CDATA[{inner.replace(']]', '')}]]>"),
    clutter.map(lambda inner: f"<?pi {inner.replace('?', '')} ?>"),
)
elements = st.recursive(
    st.builds(Element, names, attributes, spaces),
    lambda inner: st.builds(
        Element, names, attributes, spaces, st.lists(st.one_of(texts, inner), max_size=5).map(tuple)
    ),
    max_leaves=12,
)
prologs = st.sampled_from(
    [
        "",
        '<?xml version="1.0"?>\n',
        "<!-- <item> -->\n",
        '<!DOCTYPE a [<!ENTITY e "<item>">\n<!-- ]> -->]>\n',
        "\ufeff",
    ]
)
wrongs = st.sampled_from(["&wrong;", "</wrong>", "<p:wrong/>", "<wrong", "\x01", "<b></a>"])
documents = st.builds(lambda prolog, root: f"{prolog}<a>{root.serialize()}</a>\n", prologs, elements)
broken = st.builds(
    lambda prolog, before, wrong, after: f"{prolog}<a>{before.serialize()}{wrong}{after.serialize()}</a>",
    prologs, elements, wrongs, elements,
)  # fmt: skip


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def read(data: bytes, cuts: list[int], skip: Skipper | None) -> list[Event]:
    """All events with their places, and the error at the end, if there is one."""
    events: list[Event] = []
    parser = Parser(data, skip, "doc")

    def start(name: str, attributes: dict[str, str]) -> None:
        place = parser.place()
        events.append(("start", name, tuple(attributes.items()), place.line, place.column))

    parser.handle(
        start, lambda name: events.append(("end", name)), lambda text: events.append(("text", text))
    )
    try:
        for piece in pieces(data, cuts):
            parser.feed(piece)
        parser.close()
    except XmlError as error:
        events.append(("error", str(error)))
    return events


def dropped(events: list[Event]) -> list[Event]:
    """The events without the content and the attributes of skipped elements; adjacent text merged."""
    remaining: list[Event] = []
    inside, depth = "", 0
    for event in events:
        if inside:
            depth += {"start": 1, "end": -1}.get(str(event[0]), 0)
            if depth == 0:
                remaining.append(("end", inside))
                inside = ""
            elif event[0] == "error":
                remaining.append(event)
        elif event[0] == "start" and event[1] in SKIPPED:
            inside, depth = str(event[1]), 1
            remaining.append((*event[:2], (), *event[3:]))
        elif event[0] == "text" and remaining and remaining[-1][0] == "text":
            remaining[-1] = ("text", f"{remaining[-1][1]}{event[1]}")
        else:
            remaining.append(event)
    return remaining


cuts = st.lists(st.integers(0, 500), max_size=12)


@given(documents, cuts, cuts)
@trying(400)
def test_skipping_is_dropping(document: str, some: list[int], others: list[int]) -> None:
    data = document.encode()
    whole = read(data, some, None)
    assert whole[-1][0] != "error", whole[-1]
    assert dropped(read(data, others, Skipper(SKIPPED))) == dropped(whole)


@given(broken, cuts)
@trying(300)
def test_errors_have_the_same_places(document: str, others: list[int]) -> None:
    data = document.encode()
    whole = dropped(read(data, [], None))
    assert whole[-1][0] == "error"
    assert dropped(read(data, others, Skipper(SKIPPED))) == whole


@given(documents, st.integers(0, 500), cuts)
@trying(300)
def test_the_error_of_a_truncated_document_is_the_same(document: str, cut: int, others: list[int]) -> None:
    data = document.encode()[:cut]
    whole = dropped(read(data, [], None))
    assert closed(dropped(read(data, others, Skipper(SKIPPED)))) == closed(whole)


def closed(events: list[Event]) -> list[Event]:
    """The events without the ends of skipped elements: a truncated one is reported as ended."""
    return [event for event in events if event[:1] != ("end",) or event[1] not in SKIPPED]
