"""Paths of elements: `//` as child steps, cycles, and what a reader may skip."""

from __future__ import annotations

import pytest

from benchmarks.auction import DTD
from slackwater.base.span import Text
from slackwater.schema import Schema, Type, read_schema
from slackwater.schema.paths import holds, is_recursive, paths, resolve_descendants
from slackwater.schema.prune import EVERYTHING, Projection, prunable


def dtd(text: str) -> Type:
    return read_schema(Text("test.dtd", text)).document


@pytest.fixture(scope="module")
def auction() -> Schema:
    return read_schema(DTD)


def steps(type: Type, name: str | None) -> list[str] | None:
    resolved = resolve_descendants(type, name)
    return None if resolved is None else ["/".join(path) for path, _ in resolved]


LEAVES = "<!ELEMENT b (#PCDATA)><!ELEMENT c (#PCDATA)>"


def test_descendants_become_child_steps() -> None:
    document = dtd(f"<!ELEMENT r (x, y)><!ELEMENT x (b, c)><!ELEMENT y (b)>{LEAVES}")
    assert steps(document, "b") == ["r/x/b", "r/y/b"]
    assert steps(document, "z") == []
    assert steps(document, None) == ["r", "r/x", "r/x/b", "r/x/c", "r/y", "r/y/b"]


def test_an_element_inside_one_of_its_name_is_found_too() -> None:
    document = dtd(f"<!ELEMENT r (x)><!ELEMENT x (b)>{LEAVES}")
    assert steps(document, "x") == ["r/x"]


def test_a_cycle_on_the_way_cannot_be_resolved() -> None:
    document = dtd(f"<!ELEMENT r (part)><!ELEMENT part (b, part?)>{LEAVES}")
    assert steps(document, "b") is None
    assert steps(document, "part") is None
    assert is_recursive(document)


def test_a_cycle_elsewhere_does_no_harm() -> None:
    document = dtd(f"<!ELEMENT r (b, part)><!ELEMENT part (part?, c)>{LEAVES}")
    assert steps(document, "b") == ["r/b"]
    assert steps(document, "c") is None


def test_paths_are_all_there_are_or_none() -> None:
    document = dtd(f"<!ELEMENT r (x)><!ELEMENT x (b, c)>{LEAVES}")
    types = paths(document)
    assert types is not None
    assert list(types) == [("r",), ("r", "x"), ("r", "x", "b"), ("r", "x", "c")]
    assert paths(dtd("<!ELEMENT r (r?)>")) is None


def test_what_is_not_declared_may_hold_anything() -> None:
    document = dtd("<!ELEMENT r (x)>")
    assert holds(document, "whatever")
    assert steps(document, "x") is None


def test_too_many_paths_are_as_good_as_none() -> None:
    levels = "".join(
        f"<!ELEMENT l{i} (m{i}, n{i})><!ELEMENT m{i} (l{i + 1})><!ELEMENT n{i} (l{i + 1})>" for i in range(14)
    )
    assert steps(dtd(f"{levels}<!ELEMENT l14 (b)>{LEAVES}"), "b") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "item",
            [
                f"site/regions/{region}/item"
                for region in ["africa", "asia", "australia", "europe", "namerica", "samerica"]
            ],
        ),
        ("person", ["site/people/person"]),
        ("price", ["site/closed_auctions/closed_auction/price"]),
        ("keyword", None),
    ],
)
def test_descendants_in_the_auction_schema(auction: Schema, name: str, expected: list[str] | None) -> None:
    assert steps(auction.document, name) == expected


def project(*steps_used: str) -> Projection:
    """`site/people/person/name!` is the whole of each such name."""
    return _merged(
        [path.removesuffix("!").split("/") for path in steps_used],
        [path.endswith("!") for path in steps_used],
    )


def _merged(steps_used: list[list[str]], whole: list[bool]) -> Projection:
    if any(not path and flag for path, flag in zip(steps_used, whole, strict=True)):
        return EVERYTHING
    below: dict[str, tuple[list[list[str]], list[bool]]] = {}
    for path, flag in zip(steps_used, whole, strict=True):
        if path:
            paths_below, flags = below.setdefault(path[0], ([], []))
            paths_below.append(path[1:])
            flags.append(flag)
    return Projection({name: _merged(*branch) for name, branch in below.items()})


@pytest.mark.parametrize(
    ("steps_used", "names"),
    [
        (["site"], "regions categories catgraph people open_auctions closed_auctions"),
        (
            ["site/people/person/name!"],
            "regions categories catgraph open_auctions closed_auctions emailaddress phone address homepage"
            " creditcard profile watches",
        ),
        (
            ["site/closed_auctions/closed_auction/price!"],
            "regions categories catgraph people open_auctions seller buyer itemref date quantity type"
            " annotation",
        ),
        # Used in one region, items are read in all; what is in the unused ones is not.
        (
            ["site/regions/australia/item/name!"],
            "africa asia europe namerica samerica categories catgraph people open_auctions closed_auctions"
            " location quantity payment description shipping incategory mailbox",
        ),
        # Lists hold lists: they are read, their other siblings are not.
        (
            ["site/closed_auctions/closed_auction/annotation/description/parlist"],
            "regions categories catgraph people open_auctions seller buyer itemref price date quantity type"
            " author happiness text",
        ),
        (["site!"], ""),
    ],
)
def test_what_no_query_uses_is_pruned(auction: Schema, steps_used: list[str], names: str) -> None:
    pruned = prunable(auction.document, project(*steps_used))
    assert pruned == frozenset(names.split())


def test_nothing_is_pruned_where_nothing_is_known() -> None:
    document = dtd("<!ELEMENT r (x, y)>")
    assert prunable(document, project("r/x!")) == frozenset()
    assert prunable(document, project("r/x")) == frozenset()
