"""Texts that are composed, changed and compared, in plain Python, on arguments that are not NULL."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.values import Row
from slackwater.reference import number_formats, printf
from slackwater.reference.casts import EXACT
from slackwater.reference.java_texts import units
from slackwater.reference.logic import Evaluator

_SOUNDS = {
    **dict.fromkeys("BFPV", "1"),
    **dict.fromkeys("CGJKQSXZ", "2"),
    **dict.fromkeys("DT", "3"),
    "L": "4",
    **dict.fromkeys("MN", "5"),
    "R": "6",
}


def concat_ws(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    separator, *others = arguments

    def joined(row: Row, outer: Mapping[str, Any]) -> str | None:
        between = separator(row, outer)
        texts = [text for other in others if (text := other(row, outer)) is not None]
        return None if between is None else between.join(texts)

    return joined


def elt(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    number, *others = arguments

    def chosen(row: Row, outer: Mapping[str, Any]) -> Any:
        place, texts = number(row, outer), [other(row, outer) for other in others]
        return texts[place - 1] if place is not None and 1 <= place <= len(texts) else None

    return chosen


def mask(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    text, *replacements = arguments
    defaults: list[Evaluator] = [lambda row, outer, sign=sign: sign for sign in ("X", "x", "n", None)]  # type: ignore[misc]
    signs = [*replacements, *defaults[len(replacements) :]]

    def masked(row: Row, outer: Mapping[str, Any]) -> str | None:
        value = text(row, outer)
        upper, lower, digit, other = [sign(row, outer) for sign in signs]
        if value is None:
            return None

        def instead(char: str) -> str:
            sign = (
                upper if char.isupper() else lower if char.islower() else digit if char.isdecimal() else other
            )
            return char if sign is None else str(sign)

        return "".join(map(instead, value))

    return masked


def find_in_set(text: str, listed: str) -> int:
    texts = listed.split(",")
    return texts.index(text) + 1 if text in texts else 0


def initcap(text: str) -> str:
    return " ".join(word[:1].title() + word[1:] for word in text.lower().split(" "))


def levenshtein(one: str, other: str, most: int | None = None) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return -1 if most is not None and row[-1] > most else row[-1]


def soundex(text: str) -> str:
    """H and W do not separate letters that sound alike, vowels do."""
    if not (text[:1].isascii() and text[:1].isalpha()):
        return text
    last, code = _SOUNDS.get(text[0].upper(), ""), text[0].upper()
    for char in text[1:]:
        if not (char.isascii() and char.isalpha()):
            last = ""
            continue
        char = char.upper()
        sound = _SOUNDS.get(char, "")
        if sound and sound != last:
            code += sound
        if char not in "HW":
            last = sound
    return code[:4].ljust(4, "0")


def luhn_check(text: str) -> bool:
    if not (text and text.isascii() and text.isdigit()):
        return False
    doubled = [int(char) * (1 + place % 2) for place, char in enumerate(reversed(text))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def overlay(text: str, part: str, start: int, length: int = -1) -> str:
    count = len(part) if length < 0 else length
    return _from(text, 1, start - 1) + part + _from(text, start + count, len(text))


def _from(text: str, start: int, count: int) -> str:
    """As `substring`: from the end if start is negative."""
    first = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    return text[max(first, 0) : max(first + count, 0)]


def substring_index(text: str, delimiter: str, count: int) -> str:
    if not delimiter or not count:
        return ""
    places = []
    at = text.find(delimiter)
    while at >= 0:
        places.append(at)
        at = text.find(delimiter, at + 1)
    if count > 0:
        return text[: places[count - 1]] if count <= len(places) else text
    backwards = _from_the_end(text, delimiter)
    return text[backwards[-count - 1] + len(delimiter) :] if -count <= len(backwards) else text


def _from_the_end(text: str, delimiter: str) -> list[int]:
    places = []
    at = text.rfind(delimiter)
    while at >= 0:
        places.append(at)
        at = text.rfind(delimiter, 0, at + len(delimiter) - 1)
    return places


def translate(text: str, old: str, new: str) -> str:
    table: dict[str, str] = {}
    for place, char in enumerate(old):
        table.setdefault(char, new[place] if place < len(new) else "")
    return "".join(table.get(char, char) for char in text)


def split_index(text: str, delimiter: str, place: int) -> str | None:
    parts = text.split(delimiter) if delimiter else [text]
    return parts[place] if 0 <= place < len(parts) else None


def format_number(value: Any, digits: int) -> str | None:
    if digits < 0:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "∞" if value > 0 else "-∞"
    exact = Decimal(value)
    at = min(digits, 340)
    rounded = exact.quantize(Decimal((0, (1,), -at)), rounding=ROUND_HALF_EVEN, context=_WIDE)
    return f"{rounded:,f}" if rounded or not exact.is_signed() else f"-{abs(rounded):,f}"


_WIDE = EXACT.copy()
_WIDE.prec = 800


def jaro_winkler(text: str, compared: str) -> float:
    """The share of characters in common, less the transposed; a common prefix counts for more."""
    one, other = units(text), units(compared)
    if one == other:
        return 1.0
    similarity = _jaro(one, other)
    prefix = next((i for i in range(4) if one[i : i + 1] != other[i : i + 1] or i >= len(one)), 4)
    return similarity + 0.1 * prefix * (1 - similarity)


def _jaro(one: str, other: str) -> float:
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    partners: set[int] = set()
    common = []
    for i, char in enumerate(one):
        near = range(max(0, i - reach), min(len(other), i + reach + 1))
        place = next((j for j in near if j not in partners and other[j] == char), None)
        if place is not None:
            partners.add(place)
            common.append(char)
    if not common:
        return 0.0
    ordered = [other[j] for j in sorted(partners)]
    m, moved = len(common), sum(a != b for a, b in zip(common, ordered, strict=True)) // 2
    return (m / len(one) + m / len(other) + (m - moved) / m) / 3


LAZY: dict[str, Callable[[Call, Sequence[Evaluator]], Evaluator]] = {
    "concat_ws": concat_ws,
    "elt": elt,
    "mask": mask,
    **printf.LAZY,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "find_in_set": find_in_set,
    "initcap": initcap,
    "levenshtein": levenshtein,
    "soundex": soundex,
    "luhn_check": luhn_check,
    "overlay": overlay,
    "quote": lambda text: "'" + text.replace("'", "\\'") + "'",
    "substring_index": substring_index,
    "translate": translate,
    "split_index": split_index,
    "format_number": format_number,
    "jaro_winkler_similarity": jaro_winkler,
    **number_formats.PLAIN,
}
