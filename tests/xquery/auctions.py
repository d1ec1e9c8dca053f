"""Auction documents, reshaped for tests."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

XMARK = Path(
    os.environ.get("SLACKWATER_XMARK", Path(__file__).parents[3] / "shared" / "acceptance" / "xmark")
)
"""Where the W3C's XMark document, queries and results are; they are read in place."""


@cache
def auctions() -> str:
    """The W3C's auction document."""
    path = XMARK / "XMarkAuction.xml"
    if not path.exists():
        pytest.skip(f"the W3C's XMark files are not in {XMARK.name}")
    return path.read_text(encoding="utf-8")


@cache
def shortened(document: str, most: int) -> str:
    """The document with at most so many children of each list of persons, items and auctions."""
    root = ElementTree.fromstring(document)
    for path in ("people", "regions/*", "open_auctions", "closed_auctions", "categories"):
        for holder in root.findall(path):
            del holder[most:]
    return ElementTree.tostring(root, encoding="unicode")


@cache
def as_elements(document: str) -> str:
    """The document with each attribute `b` of `a` as a first child `a_b` (thesis, appendix C.1)."""
    root = ElementTree.fromstring(document)
    for element in [*root.iter()]:
        for index, (name, value) in enumerate(element.attrib.items()):
            child = ElementTree.Element(f"{element.tag}_{name}")
            child.text = value
            element.insert(index, child)
            if index == 0:
                child.tail, element.text = element.text, None
        element.attrib.clear()
    return ElementTree.tostring(root, encoding="unicode")


def canonical(document: str) -> str:
    return ElementTree.canonicalize(document, with_comments=True)
