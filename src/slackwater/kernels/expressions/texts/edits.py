"""Texts that are composed, changed and compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from itertools import pairwise
from typing import Any, Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import STRING
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.texts import number_formats, printf
from slackwater.kernels.expressions.texts.java_texts import units

_CODES: Final = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230120022455012623010202", strict=True))
_WIDE: Final = Context(prec=800)
_NONE: Final = "\0"
"""Stands for a NULL among texts that a mask may have."""


def _concat_ws(call: Call, arguments: Sequence[Term]) -> Term:
    separator, *others = (argument.value for argument in arguments)
    if not others:
        return Term(
            let(lambda text: pl.when(text.is_not_null()).then(pl.lit("")), separator), faults_of(arguments)
        )

    def joined(separator: pl.Expr, *texts: pl.Expr) -> pl.Expr:
        listed = pl.concat_list([text.cast(pl.String) for text in texts]).list.drop_nulls()
        return pl.when(separator.is_not_null()).then(listed.list.join(separator.cast(pl.String)))

    return Term(let(joined, separator, *others), faults_of(arguments))


def _elt(call: Call, arguments: Sequence[Term]) -> Term:
    def chosen(number: pl.Expr, *texts: pl.Expr) -> pl.Expr:
        result = pl.lit(None, dtype=pl.String)
        for place, text in enumerate(texts, 1):
            result = pl.when(number == place).then(text.cast(pl.String)).otherwise(result)
        return result

    return Term(let(chosen, *(argument.value for argument in arguments)), faults_of(arguments))


def _mask(call: Call, arguments: Sequence[Term]) -> Term:
    text, *signs = (argument.value for argument in arguments)
    values = [text, *(sign.cast(pl.String).fill_null(_NONE) for sign in signs)]
    return Term(by_rows(_masked, values, [STRING] * len(values), call.type), faults_of(arguments))


def _masked(text: str, upper: str = "X", lower: str = "x", digit: str = "n", other: str = _NONE) -> str:
    result = []
    for char in text:
        kind = upper if char.isupper() else lower if char.islower() else digit if char.isdecimal() else other
        result.append(char if kind == _NONE else kind)
    return "".join(result)


def _find_in_set(text: str, listed: str) -> int:
    place = f",{listed},".find(f",{text},")
    return f",{listed}"[: place + 1].count(",") if place >= 0 and "," not in text else 0


def _initcap(text: str) -> str:
    return re.sub(r"(^| )([^ ])", lambda match: match[1] + match[2].title(), text.lower())


def _levenshtein(one: str, other: str, most: int | None = None) -> int:
    """Distances of prefixes, a row for each character of the first."""
    above = [*range(len(other) + 1)]
    for char in one:
        row = [above[0] + 1]
        for (corner, top), b in zip(pairwise(above), other, strict=True):
            row.append(corner if b == char else 1 + min(row[-1], top, corner))
        above = row
    return above[-1] if most is None or above[-1] <= most else -1


def _soundex(text: str) -> str:
    if not re.match("[a-zA-Z]", text):
        return text
    runs = re.split("[^A-Za-z]+", text)
    code = ""
    for run in runs:
        letters = run[:1].upper() + re.sub("[HW]", "", run[1:].upper())
        codes = [_CODES[letter] for letter in letters]
        distinct = codes[:1] + [b for a, b in pairwise(codes) if a != b]
        code += "".join(distinct[1:] if not code and run is runs[0] else distinct).replace("0", "")
    return (text[0].upper() + code + "000")[:4]


def _luhn(text: str) -> bool:
    if not re.fullmatch("[0-9]+", text):
        return False
    odd, even = text[::-1][::2], text[::-1][1::2]
    return (sum(map(int, odd)) + sum(sum(divmod(2 * int(char), 10)) for char in even)) % 10 == 0


def _overlay(text: str, part: str, start: int, length: int = -1) -> str:
    after = start + (len(part) if length < 0 else length)
    head = text[: max(start - 1, 0)]
    if after > 0:
        return head + part + text[after - 1 :]
    # As a substring does: from the end if negative, from the first at 0.
    return head + part + (text[max(len(text) + after, 0) : max(2 * len(text) + after, 0)] if after else text)


def _substring_index(text: str, delimiter: str, count: int) -> str:
    if not delimiter or not count:
        return ""
    at = -1 if count > 0 else len(text)
    for _ in range(min(abs(count), len(text) + 1)):
        at = (
            text.find(delimiter, at + 1)
            if count > 0
            else text.rfind(delimiter, 0, max(at + len(delimiter) - 1, 0))
        )
        if at < 0:
            return text
    return text if abs(count) > len(text) else text[:at] if count > 0 else text[at + len(delimiter) :]


def _translate(text: str, old: str, new: str) -> str:
    pairs = zip(reversed(old), reversed([*new[: len(old)], *[None] * (len(old) - len(new))]), strict=True)
    return text.translate({ord(char): other for char, other in pairs})


def _format_number(value: Any, digits: int) -> str | None:
    if digits < 0:
        return None
    number = Decimal(value)
    if not number.is_finite():
        return "NaN" if number.is_nan() else "-∞" if number.is_signed() else "∞"
    size = number.copy_abs().quantize(
        Decimal(1).scaleb(-min(digits, 340)), rounding=ROUND_HALF_EVEN, context=_WIDE
    )
    whole, _, fraction = format(size, "f").partition(".")
    head = len(whole) % 3 or 3
    groups = [whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3))]
    return ("-" if number < 0 else "") + ",".join(groups) + ("." + fraction if fraction else "")


def _jaro_winkler(text: str, compared: str) -> float:
    one, other = units(text), units(compared)
    if one == other:
        return 1.0
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    partners: list[int | None] = [None] * len(other)
    for i, char in enumerate(one):
        for j in range(max(0, i - reach), min(len(other), i + reach + 1)):
            if partners[j] is None and other[j] == char:
                partners[j] = i
                break
    matched = [j for j, i in enumerate(partners) if i is not None]
    if not matched:
        return 0.0
    in_order = sorted(i for i in partners if i is not None)
    moved = sum(one[i] != other[j] for i, j in zip(in_order, matched, strict=True)) // 2
    m = len(matched)
    jaro = (m / len(one) + m / len(other) + (m - moved) / m) / 3
    prefix = 0
    while prefix < 4 and one[prefix : prefix + 1] == other[prefix : prefix + 1] != "":
        prefix += 1
    return jaro + 0.1 * prefix * (1 - jaro)


MAKERS: dict[str, Maker] = {
    "concat_ws": _concat_ws,
    "elt": _elt,
    "mask": _mask,
    "find_in_set": rowwise(_find_in_set),
    "initcap": rowwise(_initcap),
    "levenshtein": rowwise(_levenshtein),
    "soundex": rowwise(_soundex),
    "luhn_check": rowwise(_luhn),
    "overlay": rowwise(_overlay),
    "quote": rowwise(lambda text: f"'{re.sub(chr(39), chr(92) * 2 + chr(39), text)}'"),
    "substring_index": rowwise(_substring_index),
    "translate": rowwise(_translate),
    "format_number": rowwise(_format_number),
    "jaro_winkler_similarity": rowwise(_jaro_winkler),
    **printf.MAKERS,
    **number_formats.MAKERS,
}
