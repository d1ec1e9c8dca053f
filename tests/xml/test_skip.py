"""skip.txt: names, a document, and what is left of it, in whatever pieces it comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.xml import Parser, Skipper

FILE = Path(__file__).with_name("skip.txt")
CASES = FILE.read_text(encoding="utf-8").strip().split("\n\n")


def fields(case: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in case.splitlines()[1:])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0][2:])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 10_000])
def test_what_is_left_is_this(case: str, size: int) -> None:
    parts = fields(case)
    data = parts["document"].encode()
    skipper = Skipper(parts["skip"].split(), parts.get("drop", "").split())
    left = b"".join(skipper.feed(data[at : at + size]) for at in range(0, len(data), size)) + skipper.close()
    assert left.decode() == parts["left"]


def test_it_is_known_whether_the_end_came_inside() -> None:
    skipper = Skipper(["b"])
    skipper.feed(b"<a><b>")
    assert skipper.inside == "b"
    skipper.feed(b"</b>")
    assert skipper.inside is None


def test_places_are_those_of_the_document() -> None:
    data = b"<a><b>12345</b><c/><b/><d/></a>"
    skipper = Skipper(["b"])
    left = skipper.feed(data)
    assert left == b"<a><b/><c/><b/><d/></a>"
    for tag in (b"<a>", b"<c/>", b"<d/>", b"</a>"):
        assert skipper.original(left.index(tag)) == data.index(tag)


def test_names_that_are_not_worth_it_are_given_up() -> None:
    skipper = Skipper(["tiny", "large"])
    skipper.feed(b"<a>" + b"<tiny/>" * 300 + b"<large>" + b" " * 1000 + b"</large>")
    assert skipper.feed(b"<tiny>1</tiny><large>1</large>") == b"<tiny>1</tiny><large/>"
    assert not skipper.passes_all


def test_nothing_is_skipped_once_no_name_is_left() -> None:
    skipper = Skipper(["tiny"])
    skipper.feed(b"<a>" + b"<tiny>1</tiny>" * 300)
    assert skipper.passes_all
    assert skipper.feed(b"<tiny>1</tiny></a>") == b"<tiny>1</tiny></a>"
    assert skipper.original(0) == 0


def test_a_tag_without_end_is_passed_on_rather_than_kept() -> None:
    skipper = Skipper(["b"])
    piece = b'<a><b x="' + b" " * (1 << 20)
    assert skipper.feed(piece) + skipper.feed(b" ") == piece + b" "
    assert skipper.passes_all


def test_what_is_skipped_is_not_parsed() -> None:
    item = b"<item><name>something</name><text>some more of it</text></item>\n"
    data = b"<a><regions>" + item * 20_000 + b"</regions></a>"
    tags: list[str] = []
    parser = Parser(data, Skipper(["regions"]))
    parser.handle(lambda name, attributes: tags.append(name), lambda name: None)
    parser.run()
    assert tags == ["a", "regions"]
    assert len(Skipper(["regions"]).feed(data)) < 100
