"""Parts of URLs, scanned from left to right as java.net.URI does."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rowwise import rowwise

_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_HEX: Final = _DIGITS | frozenset("abcdefABCDEF")
_NAMES: Final = _DIGITS | _LETTERS
_UNRESERVED: Final = _NAMES | frozenset("_-!.~'()*")
_USER: Final = _UNRESERVED | frozenset(";:&=+$,")
_ANY: Final = _UNRESERVED | frozenset(";/?:@&=+$,[]")
_IN_PATHS: Final = _UNRESERVED | frozenset(":@&=+$,;/")
_REGISTRY: Final = _USER | {"@"}
_SERVER: Final = _USER | frozenset("@[]")

Parts = dict[str, str]


class _NoUri(Exception):
    """The text is no URI."""


def _allowed(text: str, signs: frozenset[str]) -> bool:
    """Whether it has only these signs, codes of bytes, and letters beyond ASCII."""
    at = 0
    while at < len(text):
        char = text[at]
        if char in signs:
            at += 1
        elif char == "%" and len(text) > at + 2 and text[at + 1] in _HEX and text[at + 2] in _HEX:
            at += 3
        elif char > "\x7f" and unicodedata.category(char) not in ("Zs", "Zl", "Zp", "Cc"):
            at += 1
        else:
            return False
    return True


def _checked(text: str, signs: frozenset[str]) -> str:
    if not _allowed(text, signs):
        raise _NoUri
    return text


def _split(url: str) -> Parts:
    parts: Parts = {}
    rest, sharp, fragment = url.partition("#")
    if sharp:
        parts["REF"] = _checked(fragment, _ANY)
    colon = re.search("[/?:]", rest)
    if colon is not None and colon[0] == ":":
        scheme, _, rest = rest.partition(":")
        if scheme[:1] not in _LETTERS or set(scheme) - _NAMES - set("+-."):
            raise _NoUri
        parts["PROTOCOL"] = scheme
        if not rest.startswith("/"):
            if not rest:
                raise _NoUri
            _checked(rest, _ANY)
            return parts
    rest, mark, query = rest.partition("?")
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        if authority:
            parts |= _authority(authority)
        elif not (rest or mark or sharp):
            raise _NoUri
    parts["PATH"] = _checked(rest, _IN_PATHS)
    if mark:
        parts["QUERY"] = _checked(query, _ANY)
    parts["FILE"] = rest + mark + query
    return parts


def _authority(text: str) -> Parts:
    signs = _SERVER | {"%"} if "]" in text[1:] else _SERVER
    if _allowed(text, signs):
        try:
            return {"AUTHORITY": text, **_server(text)}
        except _NoUri:
            pass
    return {"AUTHORITY": _checked(text, _REGISTRY)}


def _server(text: str) -> Parts:
    parts: Parts = {}
    if "@" in text:
        user, _, text = text.partition("@")
        parts["USERINFO"] = _checked(user, _USER)
    if text.startswith("["):
        inside, bracket, port = text[1:].partition("]")
        if not bracket or not _is_address(inside):
            raise _NoUri
        parts["HOST"] = f"[{inside}]"
    else:
        host, colon, number = text.partition(":")
        port = colon + number
        if not (_is_dotted(host) or _is_hostname(host)):
            raise _NoUri
        parts["HOST"] = host
    if port and (port[0] != ":" or set(port[1:]) - _DIGITS or int(port[1:] or "0") > (1 << 31) - 1):
        raise _NoUri
    return parts


def _is_dotted(host: str) -> bool:
    numbers = host.split(".")
    return len(numbers) == 4 and all(
        number and not set(number) - _DIGITS and int(number) <= 255 for number in numbers
    )


def _is_hostname(host: str) -> bool:
    """Labels of letters, digits and, inside, dashes; the last of several begins with a letter."""
    labels = host.removesuffix(".").split(".")
    for label in labels:
        if not label or set(label) - _NAMES - {"-"} or "-" in (label[0], label[-1]):
            return False
    return len(labels) == 1 or labels[-1][0] in _LETTERS


def _is_address(text: str) -> bool:
    """Eight groups of 16 bits, or fewer with :: once; the last two may be an IPv4 address."""
    address, percent, scope = text.partition("%")
    if percent and (not scope or set(scope) - _NAMES - set("_.")):
        return False
    halves = address.split("::")
    if len(halves) > 2:
        return False
    groups = [half.split(":") if half else [] for half in halves]
    if groups[-1] and "." in groups[-1][-1]:
        if not _is_dotted(groups[-1].pop()):
            return False
        groups[-1] += ["0", "0"]
    listed = [group for half in groups for group in half]
    if any(not 1 <= len(group) <= 4 or set(group) - _HEX for group in listed):
        return False
    return len(listed) == 8 if len(halves) == 1 else len(listed) < 8


def _parse_url(url: str, part: str, key: str | None = None) -> str | None:
    try:
        value = _split(url).get(part)
    except _NoUri:
        return None
    if key is None or value is None:
        return value
    if part != "QUERY":
        return None
    _, sign, after = f"&{value}".partition(f"&{key}=")
    return after.partition("&")[0] if sign else None


MAKERS: dict[str, Maker] = {"parse_url": rowwise(_parse_url)}
