"""Generated documents obey their schemas; so does the W3C's, read in place from beside the checkout."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchmarks import auction, photons
from slackwater.schema import read_schema
from slackwater.xml import Parser
from slackwater.xml.validate import Validator

XMARK = Path(__file__).parents[3] / "shared" / "acceptance" / "xmark" / "XMarkAuction.xml"


def validate(source: object, dtd: Path) -> int:
    parser = Parser(source)
    seen = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal seen
        seen += 1

    Validator(parser, read_schema(dtd)).handle(start)
    parser.run()
    return seen


def generated(megabytes: float, seed: int = 0, elements: bool = False) -> bytes:
    out = io.BytesIO()
    auction.write_auction(out, megabytes, seed, elements)
    return out.getvalue()


@pytest.mark.parametrize("elements", [False, True])
def test_an_auction_obeys_its_schema(elements: bool) -> None:
    dtd = auction.ELEMENTS_DTD if elements else auction.DTD
    assert validate(generated(0.5, elements=elements), dtd) > 1000


def test_an_auction_has_about_the_requested_size() -> None:
    assert len(generated(2)) == pytest.approx(2e6, rel=0.1)


def test_an_auction_depends_on_its_seed_alone() -> None:
    assert generated(0.2, 1) == generated(0.2, 1)
    assert generated(0.2, 1) != generated(0.2, 2)


def test_references_lead_to_what_there_is() -> None:
    known: set[str] = set()
    used: set[str] = set()
    parser = Parser(generated(0.3))

    def start(name: str, attributes: dict[str, str]) -> None:
        for key, value in attributes.items():
            if key == "id":
                known.add(value)
            elif key in ("person", "item", "category", "open_auction", "from", "to"):
                used.add(value)

    parser.handle(start, None)
    parser.run()
    assert used <= known


def test_photons_obey_their_schema_and_come_in_order() -> None:
    data = "".join(photons.document(200)).encode()
    assert validate(data, photons.DTD) == 1 + 200 * 10
    times = [float(part.split("<")[0]) for part in data.decode().split("<det_time>")[1:]]
    assert times == sorted(times)


@pytest.mark.skipif(not XMARK.exists(), reason="the XMark document is not beside the checkout")
def test_the_schema_is_that_of_the_w3cs_document() -> None:
    assert validate(XMARK, auction.DTD) > 10_000
