"""What notebooks show: small tables of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(heading: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table; everything in it is text."""
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(_row(row, "td") for row in rows)
    return f"<table>{above}<thead>{_row(heading, 'th')}</thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
