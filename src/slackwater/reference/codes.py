"""Codes, digests and URLs in plain Python, on arguments that are not NULL."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus, unquote_to_bytes

from slackwater.reference import hashes, urls

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WORD = 1 << 64
_CHARSETS = {
    "us-ascii": "ascii",
    "iso-8859-1": "latin-1",
    "utf-8": "utf-8",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    "utf-32": "utf-32-be",
}


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _of_bytes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *rest: function(_bytes(value), *rest)


def hex_of(value: int | str | bytes) -> str:
    return f"{value % _WORD:X}" if isinstance(value, int) else _bytes(value).hex().upper()


def unhex(text: str) -> bytes | None:
    if not re.fullmatch("[0-9a-fA-F]*", text):
        return None
    return bytes.fromhex("0" * (len(text) % 2) + text)


def conv(text: str, old: int, new: int) -> str | None:
    """Digits as far as there are some; a sign counts from the end of the 64 bits."""
    if not (2 <= old <= 36 and 2 <= abs(new) <= 36) or not text.strip(" "):
        return None
    text = text.strip(" ")
    is_negative = text.startswith("-")
    number = 0
    for char in text[is_negative:]:
        digit = _DIGITS.find(char.lower()) if char.isascii() else -1
        if not 0 <= digit < old:
            break
        number = min(number * old + digit, _WORD - 1)
    return _in_base(number, is_negative, new)


def _in_base(number: int, is_negative: bool, base: int) -> str:
    if is_negative and base > 0:
        number = (_WORD - 1) if number >= _WORD >> 1 else (_WORD - number) % _WORD
    if base < 0 and not is_negative and number >= _WORD >> 1:
        number, is_negative = _WORD - number, True
    sign = "-" if is_negative and base < 0 else ""
    digits = ""
    while number or not digits:
        number, rest = divmod(number, abs(base))
        digits = _DIGITS[rest].upper() + digits
    return sign + digits


def unbase64(text: str) -> bytes | None:
    letters = re.sub("[^A-Za-z0-9+/]", "", text.split("=")[0])
    if len(letters) % 4 == 1:
        return None
    return base64.b64decode(letters + "=" * (-len(letters) % 4))


def to_binary(text: str, form: str = "hex") -> bytes | None:
    """In base 64 nothing but white space may stand between letters, and padding makes it whole groups."""
    match form.lower():
        case "hex":
            return unhex(text)
        case "utf-8" | "utf8":
            return text.encode()
        case "base64":
            parts = re.fullmatch(r"([A-Za-z0-9+/\s]*)(={0,2})", text)
            letters = re.sub(r"\s", "", parts[1]) if parts else "="
            padding = parts[2] if parts else ""
            is_whole = (len(letters) + len(padding)) % 4 == 0
            return unbase64(letters) if parts and (is_whole or not padding) else None
    return None


def from_base32(text: str) -> bytes | None:
    letters = text.rstrip("=")
    try:
        return base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        return None


def encode(text: str, charset: str) -> bytes | None:
    name = charset.lower()
    if name == "utf-16":
        return b"\xfe\xff" + text.encode("utf-16-be") if text else b""
    if name not in _CHARSETS:
        return None
    try:
        return text.encode(_CHARSETS[name])
    except UnicodeEncodeError:
        return None


def decode(value: str | bytes, charset: str) -> str | None:
    name = charset.lower()
    content = _bytes(value)
    if name == "utf-16":
        codec = "utf-16-le" if content[:2] == b"\xff\xfe" else "utf-16-be"
        content = (
            content.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff") if content[:2] in _MARKS else content
        )
    elif name in _CHARSETS:
        codec = _CHARSETS[name]
    else:
        return None
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None


_MARKS = (b"\xff\xfe", b"\xfe\xff")


def sha2(content: bytes, bits: int) -> str | None:
    digests = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}
    return hashlib.new(digests[bits], content).hexdigest() if bits in digests else None


def url_encode(text: str) -> str:
    """Letters, digits and *-._ stay as they are; elsewhere ~ does, too."""
    return quote_plus(text, safe="*").replace("~", "%7E")


def url_decode(text: str) -> str | None:
    if re.search("%(?![0-9a-fA-F]{2})", text):
        return None
    return unquote_to_bytes(text.replace("+", " ")).decode(errors="replace")


PLAIN: dict[str, Callable[..., Any]] = {
    "ascii": lambda text: ord(text[0]) if text else 0,
    "chr": lambda number: "" if number < 0 else chr(number % 256),
    "bin": lambda number: f"{number % _WORD:b}",
    "conv": conv,
    "hex": hex_of,
    "unhex": unhex,
    "base64": _of_bytes(lambda content: base64.b64encode(content).decode()),
    "unbase64": unbase64,
    "to_binary": to_binary,
    "to_base32": _of_bytes(lambda content: base64.b32encode(content).decode()),
    "from_base32": from_base32,
    "encode": encode,
    "decode": decode,
    "octet_length": _of_bytes(len),
    "bit_length": _of_bytes(lambda content: 8 * len(content)),
    "md5": _of_bytes(lambda content: hashlib.md5(content).hexdigest()),
    "sha1": _of_bytes(lambda content: hashlib.sha1(content).hexdigest()),
    "sha2": _of_bytes(sha2),
    "crc32": _of_bytes(zlib.crc32),
    "url_encode": url_encode,
    "url_decode": url_decode,
    **urls.PLAIN,
    **hashes.PLAIN,
}
LAZY = hashes.LAZY
