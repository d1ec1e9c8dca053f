"""The answer of SaxonC to a query, to compare with."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

saxonche = pytest.importorskip("saxonche", reason="SaxonC (saxonche) is not installed")


@cache
def _processor() -> Any:
    return saxonche.PySaxonProcessor(license=False)


@cache
def parsed(document: str) -> Any:
    return _processor().parse_xml(xml_text=document)


def saxon_answer(query: str, document: str) -> str | None:
    """The answer as text, or None where SaxonC finds an error."""
    processor = _processor().new_xquery_processor()
    processor.set_context(xdm_item=parsed(document))
    processor.set_property("!omit-xml-declaration", "yes")
    processor.set_property("!indent", "no")
    processor.set_query_content(query)
    try:
        result: str | None = processor.run_query_to_string()
    except saxonche.PySaxonApiError:
        return None
    return result or ""
