"""XML out: text and attributes escaped as XQuery's serialization does it, method xml.

In text `<`, `>` and `&` are escaped, and a carriage return, which a parser would turn into a line feed; in
attributes also `"`, tab and line feed. What is there already as a character stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;", "\x85": "&#x85;", "\u2028": "&#x2028;"}
_IN_ATTRIBUTE = {**_IN_TEXT, '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;"}
_TEXT = re.compile("[{}]".format("".join(_IN_TEXT)))
_ATTRIBUTE = re.compile("[{}]".format("".join(_IN_ATTRIBUTE)))


def text(value: str) -> str:
    """Character content.

    >>> text("a < b & c")
    'a &lt; b &amp; c'
    """
    return _TEXT.sub(lambda found: _IN_TEXT[found[0]], value) if _TEXT.search(value) else value


def attribute(value: str) -> str:
    """The value of an attribute, without its quotes.

    >>> attribute('say "no"')
    'say &quot;no&quot;'
    """
    return _ATTRIBUTE.sub(lambda found: _IN_ATTRIBUTE[found[0]], value) if _ATTRIBUTE.search(value) else value


def attributes(pairs: Iterable[tuple[str, str]]) -> str:
    """` name="value"` for each."""
    return "".join([f' {name}="{attribute(value)}"' for name, value in pairs])


def start_tag(name: str, pairs: Iterable[tuple[str, str]] = ()) -> str:
    return f"<{name}{attributes(pairs)}>"


def end_tag(name: str) -> str:
    return f"</{name}>"
