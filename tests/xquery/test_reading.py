"""Documents that are read whole."""

from __future__ import annotations

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.flux.oracle.read import read
from slackwater.flux.oracle.write import serialized


@pytest.mark.parametrize(
    "document",
    [
        '<a b="1" c="&#34;&lt;&amp;">x&lt;y&amp;z</a>',
        '<a xmlns="urn:x" xmlns:p="urn:p"><p:b p:c="1"/><d xmlns=""/></a>',
        "<a><!--c--><?p q?> <b/></a>",
        '<a xml:lang="en"/>',
        "<?p q?><a/><!--c-->",
    ],
)
def test_a_document_is_written_as_it_was_read(document: str) -> None:
    assert serialized([read(document)]) == document


def test_an_internal_entity_is_its_text() -> None:
    assert serialized([read('<!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>')]) == "<r>y</r>"


def test_an_entity_bomb_is_refused() -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 20}">' for i in range(1, 9))
    document = f'<!DOCTYPE r [<!ENTITY e0 "{"x" * 100}">{entities}]><r>&e8;</r>'
    with pytest.raises(EngineError, match=r"entity-bomb.*expand to too much text"):
        read(document)


def test_nodes_are_in_document_order() -> None:
    root = read('<a b="1"><c/>x<d/></a>').children[0]
    nodes = [root, *root.attributes, *root.children]
    assert [node.order for node in nodes] == sorted(node.order for node in nodes)
