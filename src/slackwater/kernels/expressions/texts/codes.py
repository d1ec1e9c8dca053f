"""Codes, digests and URLs; a text stands for its bytes in UTF-8."""

from __future__ import annotations

import codecs
import hashlib
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import BINARY
from slackwater.kernels.expressions import hashes
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.texts import urls

_CHARSETS: Final = {
    "us-ascii": "ascii",
    "iso-8859-1": "iso8859-1",
    "utf-8": "utf-8",
    "utf-16be": "utf-16be",
    "utf-16le": "utf-16le",
    "utf-16": "utf-16be",
    "utf-32": "utf-32be",
}
_BASE32: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_PLAIN_IN_URLS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._")


def _of_bytes(body: Callable[[pl.Expr], pl.Expr]) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        (argument,) = arguments
        return Term(let(body, argument.value.cast(pl.Binary)), argument.faults)

    return make


def _digest(function: Callable[..., Any]) -> Maker:
    """A function of bytes that is computed row by row."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        content, *rest = (argument.value for argument in arguments)
        types = [BINARY, *types_of(call)[1:]]
        return Term(
            by_rows(function, [content.cast(pl.Binary), *rest], types, call.type), faults_of(arguments)
        )

    return make


def _ascii(text: str) -> int:
    return next(map(ord, text), 0)


def _chr(number: int) -> str:
    return bytes([number & 255]).decode("iso8859-1") if number >= 0 else ""


def _bin(number: int) -> str:
    return bin(number & (1 << 64) - 1)[2:]


def _hex(call: Call, arguments: Sequence[Term]) -> Term:
    if call.arguments[0].type.is_integer:
        return rowwise(lambda number: format(number & (1 << 64) - 1, "X"))(call, arguments)
    return _of_bytes(lambda content: content.bin.encode("hex").str.to_uppercase())(call, arguments)


def _unhex(call: Call, arguments: Sequence[Term]) -> Term:
    def decoded(text: pl.Expr) -> pl.Expr:
        odd = text.str.len_bytes() % 2 == 1
        even = pl.when(odd).then(pl.concat_str(pl.lit("0"), text)).otherwise(text)
        return pl.when(text.str.contains(r"\A[0-9a-fA-F]*\z")).then(even).str.decode("hex", strict=False)

    return Term(let(decoded, arguments[0].value), arguments[0].faults)


def _conv(text: str, old: int, new: int) -> str | None:
    text = text.strip(" ")
    if not text or old not in range(2, 37) or abs(new) not in range(2, 37):
        return None
    negative, number = text[:1] == "-", 0
    for char in text.removeprefix("-"):
        value = ord(char) - 48 if "0" <= char <= "9" else (ord(char) | 32) - 87 if _is_letter(char) else 99
        if value >= old:
            break
        number = number * old + value
    number = min(number, (1 << 64) - 1)
    if new > 0:
        wrapped = (
            number if not negative else (1 << 64) - 1 if number > (1 << 63) - 1 else -number & (1 << 64) - 1
        )
        return _in_base(wrapped, new)
    if not negative and number >> 63:
        negative, number = True, (1 << 64) - number
    return ("-" if negative else "") + _in_base(number, -new)


def _is_letter(char: str) -> bool:
    return "a" <= char <= "z" or "A" <= char <= "Z"


def _in_base(number: int, base: int) -> str:
    digits = []
    while True:
        number, rest = divmod(number, base)
        digits.append(chr(48 + rest if rest < 10 else 55 + rest))
        if not number:
            return "".join(reversed(digits))


def _unpacked(alphabet: str, letters: str) -> bytes:
    """The whole bytes among the bits that the letters stand for."""
    bits = len(alphabet).bit_length() - 1
    number = 0
    for letter in letters:
        number = number << bits | alphabet.index(letter)
    size = len(letters) * bits
    return (number >> size % 8).to_bytes(size // 8, "big")


def _unbase64(text: str) -> bytes | None:
    letters = "".join(char for char in text.partition("=")[0] if char in _BASE64)
    return None if len(letters) % 4 == 1 else _unpacked(_BASE64, letters)


def _to_binary(text: str, form: str = "hex") -> bytes | None:
    form = form.lower()
    if form in ("utf-8", "utf8"):
        return text.encode()
    if form == "base64":
        letters = text.rstrip("=")
        padding = len(text) - len(letters)
        letters = "".join(letters.split())
        is_cut = padding > 2 or (padding > 0 and (len(letters) + padding) % 4)
        return None if is_cut or set(letters) - set(_BASE64) else _unbase64(letters)
    digits = text.rjust(len(text) + len(text) % 2, "0")
    is_hex = form == "hex" and not set(digits) - set("0123456789abcdefABCDEF")
    return bytes.fromhex(digits) if is_hex else None


def _to_base32(content: bytes) -> str:
    size = len(content) * 8
    number = int.from_bytes(content, "big") << -size % 5
    count = -(-size // 5)
    letters = "".join(_BASE32[number >> 5 * place & 31] for place in reversed(range(count)))
    return letters + "=" * (-count % 8)


def _from_base32(text: str) -> bytes | None:
    letters = text.rstrip("=")
    if len(letters) % 8 in (1, 3, 6) or not set(letters) <= set(_BASE32):
        return None
    return _unpacked(_BASE32, letters)


def _encode(text: str, charset: str) -> bytes | None:
    codec = _CHARSETS.get(charset.lower())
    if codec is None:
        return None
    try:
        content = codecs.encode(text, codec)
    except UnicodeError:
        return None
    return codecs.BOM_UTF16_BE + content if charset.lower() == "utf-16" and text else content


def _decode(content: bytes, charset: str) -> str | None:
    codec = _CHARSETS.get(charset.lower())
    if codec is None:
        return None
    if charset.lower() == "utf-16" and content.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        codec = "utf-16be" if content.startswith(codecs.BOM_UTF16_BE) else "utf-16le"
        content = content[2:]
    try:
        return codecs.decode(content, codec)
    except UnicodeError:
        return None


def _sha2(content: bytes, bits: int) -> str | None:
    digest = {
        0: hashlib.sha256,
        224: hashlib.sha224,
        256: hashlib.sha256,
        384: hashlib.sha384,
        512: hashlib.sha512,
    }
    return digest[bits](content).hexdigest() if bits in digest else None


def _url_encode(text: str) -> str:
    return "".join(
        chr(byte) if byte in _PLAIN_IN_URLS else "+" if byte == 32 else f"%{byte:02X}"
        for byte in text.encode()
    )


def _url_decode(text: str) -> str | None:
    content = bytearray()
    first, *parts = text.replace("+", " ").encode().split(b"%")
    content += first
    for part in parts:
        code = part[:2]
        if len(code) < 2 or not set(code) <= set(b"0123456789abcdefABCDEF"):
            return None
        content.append(int(code, 16))
        content += part[2:]
    return content.decode(errors="replace")


MAKERS: dict[str, Maker] = {
    "ascii": rowwise(_ascii),
    "chr": rowwise(_chr),
    "bin": rowwise(_bin),
    "conv": rowwise(_conv),
    "hex": _hex,
    "unhex": _unhex,
    "base64": _of_bytes(lambda content: content.bin.encode("base64")),
    "unbase64": rowwise(_unbase64),
    "to_binary": rowwise(_to_binary),
    "to_base32": _digest(_to_base32),
    "from_base32": rowwise(_from_base32),
    "encode": rowwise(_encode),
    "decode": _digest(_decode),
    "octet_length": _of_bytes(lambda content: content.bin.size().cast(pl.Int64)),
    "bit_length": _of_bytes(lambda content: content.bin.size().cast(pl.Int64) * 8),
    "md5": _digest(lambda content: hashlib.new("md5", content).digest().hex()),
    "sha1": _digest(lambda content: hashlib.new("sha1", content).digest().hex()),
    "sha2": _digest(_sha2),
    "crc32": _digest(zlib.crc32),
    "url_encode": rowwise(_url_encode),
    "url_decode": rowwise(_url_decode),
    **urls.MAKERS,
    **hashes.MAKERS,
}
