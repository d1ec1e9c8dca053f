"""Golden errors of schemas: errors/NAME.dtd or NAME.xsd, and the text in NAME.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import render
from slackwater.base.span import Text
from slackwater.schema import read_schema
from slackwater.schema.errors import SchemaError

FOLDER = Path(__file__).parent / "errors"
SCHEMAS = sorted([*FOLDER.glob("*.dtd"), *FOLDER.glob("*.xsd")])


def rendered(path: Path) -> str:
    """The error of a schema or, where it has none, its notes."""
    root = "nowhere" if path.stem == "unknown-root" else None
    try:
        diagnostics = read_schema(Text(path.name, path.read_text(encoding="utf-8")), root).notes
    except SchemaError as error:
        diagnostics = error.diagnostics
    return "\n\n".join(map(render, diagnostics)) + "\n"


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_mistake_is_reported_in_these_words(path: Path) -> None:
    text = rendered(path)
    assert text == golden(path.with_suffix(".txt"), text)


def test_a_missing_schema_is_reported() -> None:
    with pytest.raises(SchemaError) as caught:
        read_schema("no/such/schema.dtd")
    assert str(caught.value) == (FOLDER / "unreadable-schema.txt").read_text(encoding="utf-8").rstrip("\n")


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "latin.dtd"
    path.write_bytes(b"<!ELEMENT \xe4 EMPTY>")
    with pytest.raises(SchemaError) as caught:
        read_schema(path)
    assert caught.value.diagnostics[0].detail == "It is not UTF-8 text."
