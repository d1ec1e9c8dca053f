"""XML out: text and attributes escaped as XQuery's serialization does it, method xml.

In text `<`, `>` and `&` are escaped, and a carriage return, which a parser would turn into a line feed; in
attributes also `"`, tab and line feed. All other characters are output as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"}
_IN_ATTRIBUTE = {**_IN_TEXT, '"': "&#34;", "\t": "&#x9;", "\n": "&#xA;"}
_TEXT = re.compile("[{}]".format("".join(_IN_TEXT)))
_ATTRIBUTE = re.compile("[{}]".format("".join(_IN_ATTRIBUTE)))


def escape_text(value: str) -> str:
    """Character content.

    >>> escape_text("a < b & c")
    'a &lt; b &amp; c'
    """
    return _TEXT.sub(lambda match: _IN_TEXT[match[0]], value) if _TEXT.search(value) else value


def escape_attribute(value: str) -> str:
    """The value of an attribute, without its quotes.

    >>> escape_attribute('say "no"')
    'say &#34;no&#34;'
    """
    return _ATTRIBUTE.sub(lambda match: _IN_ATTRIBUTE[match[0]], value) if _ATTRIBUTE.search(value) else value


def attributes(pairs: Iterable[tuple[str, str]]) -> str:
    """` name="value"` for each."""
    return "".join([f' {name}="{escape_attribute(value)}"' for name, value in pairs])
