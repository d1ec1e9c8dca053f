"""Functions of texts; characters are code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.texts.patterns import is_literal, literal_text

_LONGEST: Final = 1 << 32
"""No text has so many characters: a larger count means all of them."""

Body = Callable[..., pl.Expr]


def _plain(body: Body) -> Maker:
    """A function whose body may use its arguments more than once."""
    return lambda call, arguments: Term(let(body, *(a.value for a in arguments)), faults_of(arguments))


def _count(value: pl.Expr) -> pl.Expr:
    """A number of characters: none if negative."""
    return value.cast(pl.Int64).clip(0, _LONGEST)


def _stripped(strip: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Maker:
    def stripped(text: pl.Expr, chars: pl.Expr | None = None) -> pl.Expr:
        # Polars strips blanks for a NULL.
        return (
            strip(text, pl.lit(" "))
            if chars is None
            else pl.when(chars.is_not_null()).then(strip(text, chars))
        )

    return _plain(stripped)


def _substring(text: pl.Expr, start: pl.Expr, length: pl.Expr | None = None) -> pl.Expr:
    start = start.cast(pl.Int64)
    size = text.str.len_chars().cast(pl.Int64)
    first = pl.when(start > 0).then(start - 1).when(start < 0).then(size + start).when(start == 0).then(0)
    if length is None:
        return text.str.slice(first.clip(0, _LONGEST))
    return let(_cut, text, first, length.cast(pl.Int64))


def _cut(text: pl.Expr, first: pl.Expr, length: pl.Expr) -> pl.Expr:
    """Places before the start of the text count towards the length; first + length may exceed 64 bits."""
    size = (
        pl.when(length <= 0)
        .then(0)
        .when((first >= 0) & (length > _LONGEST))
        .then(_LONGEST)
        .when(first >= 0)
        .then(length)
        .otherwise((first + length).clip(0, _LONGEST))
    )
    strict = first.is_not_null() & length.is_not_null()
    return pl.when(strict).then(text.str.slice(first.clip(0, _LONGEST), size))


def _replace(call: Call, arguments: Sequence[Term]) -> Term:
    text, old_value, new = (argument.value for argument in arguments)
    faults = faults_of(arguments)
    if not is_literal(call, 1):
        return Term(by_rows(_replaced, (text, old_value, new), types_of(call), call.type), faults)
    old = literal_text(call, 1)
    if not old:
        return Term(let(lambda text, new: pl.when(new.is_not_null()).then(text), text, new), faults)
    if is_literal(call, 2):
        return Term(text.str.replace_all(old, literal_text(call, 2), literal=True), faults)

    def replaced(text: pl.Expr, new: pl.Expr) -> pl.Expr:
        return pl.when(new.is_not_null()).then(text.str.replace_all(old, new, literal=True))

    return Term(let(replaced, _beside(text, new), new), faults)


def _replaced(text: str, old: str, new: str) -> str:
    return new.join(text.split(old)) if old else text


def _beside(value: pl.Expr, other: pl.Expr) -> pl.Expr:
    """A value with as many rows as another: some functions of Polars take no literal next to a column."""
    return value if value.meta.root_names() else pl.when(other.is_not_null()).then(value)


def _position(call: Call, arguments: Sequence[Term]) -> Term:
    if len(arguments) > 2:
        values = [argument.value for argument in arguments]
        return Term(by_rows(_position_from, values, types_of(call), call.type), faults_of(arguments))
    needle, text = (argument.value for argument in arguments)
    return Term(let(_first_position, needle, _beside(text, needle)), faults_of(arguments))


def _position_from(needle: str, text: str, start: int) -> int:
    if start < 1 or not needle:
        return int(start >= 1)
    return 1 + (text.index(needle, start - 1) if needle in text[start - 1 :] else -1)


def _first_position(needle: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Polars finds the position in bytes, so the characters before it are counted."""
    before = text.str.splitn(needle, 2).struct.field("field_0").str.len_chars().cast(pl.Int64)
    contains = text.str.contains(needle, literal=True)
    return (
        pl.when(needle.is_null() | text.is_null())
        .then(None)
        .when(needle == "")
        .then(1)
        .when(contains)
        .then(before + 1)
        .otherwise(0)
    )


def _padded(call: Call, arguments: Sequence[Term]) -> Term:
    fill = literal_text(call, 2) if len(arguments) > 2 else " "
    text, length, *fills = (argument.value for argument in arguments)
    if not is_literal(call, 2) or len(fill) != 1:
        return Term(let(_filled(call), text, _count(length), *fills), faults_of(arguments))

    def padded(text: pl.Expr, length: pl.Expr) -> pl.Expr:
        cut = text.str.head(length)
        return cut.str.pad_start(length, fill) if call.function == "lpad" else cut.str.pad_end(length, fill)

    return Term(let(padded, text, _count(length)), faults_of(arguments))


def _filled(call: Call) -> Body:
    """Filled with a text, repeated up to the length; an empty one fills nothing."""

    def filled(text: pl.Expr, length: pl.Expr, fill: pl.Expr) -> pl.Expr:
        missing = (length - text.str.len_chars().cast(pl.Int64)).clip(0, _LONGEST)
        times = pl.when(fill == "").then(0).otherwise(missing // fill.str.len_chars().clip(1) + 1)
        filling = let(_repeat, fill, times).str.head(missing)
        parts = [filling, text.str.head(length)]
        return pl.concat_str(parts if call.function == "lpad" else parts[::-1], ignore_nulls=False)

    return filled


def _repeat(text: pl.Expr, count: pl.Expr) -> pl.Expr:
    known = text.is_not_null() & count.is_not_null()
    return pl.when(known).then(text.repeat_by(_count(count).fill_null(0)).list.join(""))


def _parts(text: pl.Expr, delimiter: pl.Expr) -> pl.Expr:
    """An empty delimiter does not split the text; in Polars it splits it into characters."""
    is_whole = (delimiter == "") | (text == "")
    return pl.when(is_whole).then(pl.concat_list(text)).otherwise(text.str.split(delimiter))


def _split_index(text: pl.Expr, delimiter: pl.Expr, place: pl.Expr) -> pl.Expr:
    """Flink's: places count from 0, and a part that there is not is NULL."""
    place = place.cast(pl.Int64).clip(-1, _LONGEST)
    part = _parts(text, delimiter).list.get(place, null_on_oob=True)
    return pl.when(text.is_not_null() & delimiter.is_not_null() & (place >= 0)).then(part)


def _split_part(text: pl.Expr, delimiter: pl.Expr, number: pl.Expr) -> pl.Expr:
    number = number.cast(pl.Int64).clip(-_LONGEST, _LONGEST)
    index = pl.when(number > 0).then(number - 1).otherwise(number)
    parts = _parts(text, delimiter)
    part = pl.when(number != 0).then(parts.list.get(index, null_on_oob=True)).fill_null("")
    known = text.is_not_null() & delimiter.is_not_null() & number.is_not_null()
    return pl.when(known).then(part)


MAKERS: dict[str, Maker] = {
    "upper": _plain(lambda text: text.str.to_uppercase()),
    "lower": _plain(lambda text: text.str.to_lowercase()),
    "length": _plain(lambda text: text.str.len_chars().cast(pl.Int64)),
    "trim": _stripped(lambda text, chars: text.str.strip_chars(chars)),
    "ltrim": _stripped(lambda text, chars: text.str.strip_chars_start(chars)),
    "rtrim": _stripped(lambda text, chars: text.str.strip_chars_end(chars)),
    "substring": _plain(_substring),
    "concat": _plain(lambda *texts: pl.concat_str(texts, ignore_nulls=False)),
    "replace": _replace,
    "left": _plain(lambda text, count: text.str.head(_count(count))),
    "right": _plain(lambda text, count: text.str.tail(_count(count))),
    "starts_with": _plain(lambda text, start: text.str.starts_with(start)),
    "ends_with": _plain(lambda text, end: text.str.ends_with(end)),
    "contains": _plain(lambda text, needle: text.str.contains(needle, literal=True)),
    "position": _position,
    "reverse": _plain(lambda text: text.str.split("").list.reverse().list.join("")),
    "lpad": _padded,
    "rpad": _padded,
    "repeat": _plain(_repeat),
    "split_part": _plain(_split_part),
    "split_index": _plain(_split_index),
}
