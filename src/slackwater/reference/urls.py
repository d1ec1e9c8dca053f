"""Parts of URLs in plain Python, by the grammar of java.net.URI: RFC 2396 with other letters and IPv6."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Any

_OTHER = "\\x00-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What a character beyond ASCII is none of: blanks and controls."""
_PLAIN = r"A-Za-z0-9_\-!.~'()*"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_TOP = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}|(?:{_LABEL}\.)+{_TOP})\.?")
_URI = re.compile(
    r"(?:(?P<scheme>[^/?#:]*):(?=/))?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_OPAQUE = re.compile(r"(?P<scheme>[^/?#:]*):(?P<body>[^/#][^#]*)(?:#(?P<fragment>.*))?", re.DOTALL)


def _made_of(signs: str) -> Callable[[str | None], bool]:
    """Whether a text has only these, codes of bytes and letters beyond ASCII; none is well-formed, too."""
    pattern = re.compile(rf"(?:[{_PLAIN}{signs}]|%[0-9a-fA-F]{{2}}|[^{_OTHER}])*")
    return lambda text: text is None or pattern.fullmatch(text) is not None


_is_uric = _made_of(r";/?:@&=+$,\[\]")
_is_path = _made_of(":@&=+$,;/")
_is_user = _made_of(";:&=+$,")
_is_name = _made_of("$,;:@&=+")
_is_server = _made_of(r";:&=+$,@\[\]")
_is_bracketed = _made_of(r";:&=+$,@\[\]%")


def split(url: str) -> dict[str, str | None] | None:
    """The parts by their names, None those it does not have; None if it is no URI."""
    opaque = _OPAQUE.fullmatch(url)
    match = opaque or _URI.fullmatch(url)
    if match is None:
        return None
    parts: dict[str, str | None] = match.groupdict()
    scheme = parts["scheme"]
    if scheme is not None and not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return None
    if not _is_uric(parts["fragment"]) or not _is_uric(parts.get("body")) or not _is_uric(parts.get("query")):
        return None
    if opaque:
        return {"PROTOCOL": scheme, "REF": parts["fragment"]}
    path = parts["path"] or ""
    if not _is_path(path) or (scheme is None and re.match("[^/]*:", path) and parts["authority"] is None):
        return None
    query = parts["query"]
    return _with_authority(
        parts["authority"],
        {
            "PROTOCOL": scheme,
            "PATH": path,
            "QUERY": query,
            "REF": parts["fragment"],
            "FILE": path if query is None else f"{path}?{query}",
        },
    )


def _with_authority(authority: str | None, parts: dict[str, str | None]) -> dict[str, str | None] | None:
    """The parts with those of the authority: of a server, or else any name."""
    if not authority:
        is_end = authority is not None and parts["FILE"] == "" and parts["REF"] is None
        return None if is_end else parts
    may_be_server = (_is_bracketed if authority.find("]") > 0 else _is_server)(authority)
    server = _server(authority) if may_be_server else None
    if server is None and not _is_name(authority):
        return None
    return {**parts, "AUTHORITY": authority, **(server or {})}


def _server(authority: str) -> dict[str, str | None] | None:
    """[user@]host[:port]"""
    before, at, after = authority.partition("@")
    user, place = (before, after) if at else (None, authority)
    match = re.fullmatch(r"(\[[^\]]+\]|[^\[:]*)(?::([0-9]*))?", place)
    if match is None or not _is_user(user) or int(match[2] or 0) >= 1 << 31:
        return None
    host = match[1]
    is_host = _is_ipv6(host[1:-1]) if host.startswith("[") else _is_ipv4(host) or _HOST.fullmatch(host)
    return {"USERINFO": user, "HOST": host} if is_host else None


def _is_ipv4(host: str) -> bool:
    numbers = host.split(".")
    return len(numbers) == 4 and all(re.fullmatch("[0-9]+", n) and int(n) < 256 for n in numbers)


def _is_ipv6(text: str) -> bool:
    address, scope, name = text.partition("%")
    if scope and not re.fullmatch("[A-Za-z0-9_.]+", name):
        return False
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return True


def parse_url(url: str, part: str, key: str | None = None) -> str | None:
    parts = split(url)
    value = None if parts is None else parts.get(part)
    if key is None or value is None:
        return value
    match = re.search(f"(?:&|^){re.escape(key)}=([^&]*)", value)
    return match[1] if match and part == "QUERY" else None


PLAIN: dict[str, Callable[..., Any]] = {"parse_url": parse_url}
