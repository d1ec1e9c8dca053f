"""Functions of texts; characters are code points."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.types import Type
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, error_of
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let
from slackwater.kernels.expressions.values import literal
from slackwater.reference.texts import like as matcher

_LONGEST: Final = 1 << 32
"""No text has so many characters: a larger count means all of them."""
_SPECIAL: Final = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")

Body = Callable[..., pl.Expr]


def _plain(body: Body) -> Maker:
    """A function whose body may name its arguments more than once."""
    return lambda call, arguments: Term(let(body, *(a.value for a in arguments)), faults_of(arguments))


def _written(call: Call, *indices: int) -> bool:
    """Whether these arguments, as far as they are given, are literals."""
    return all(isinstance(call.arguments[i], Literal) for i in indices if i < len(call.arguments))


def _value(call: Call, index: int) -> str:
    part = call.arguments[index]
    return str(part.value) if isinstance(part, Literal) else ""


def _like(call: Call, arguments: Sequence[Term]) -> Term:
    if not _written(call, 1, 2):
        return by_rows(call, arguments, raises=True)
    text = arguments[0].value
    pattern, *escapes = (_value(call, index) for index in range(1, len(call.arguments)))
    if call.function == "ilike":
        text, pattern, escapes = text.str.to_lowercase(), pattern.lower(), [e.lower() for e in escapes]
    faults = faults_of(arguments)
    try:
        matcher(call)("", pattern, *escapes)
    except EngineError:
        bad = Fault(text.is_not_null(), error_of(call), _about(call, arguments))
        return Term(literal(None, call.type), (*faults, bad))
    return Term(_matches(text, _pieces(pattern, escapes[0] if escapes else None)), faults)


def _about(call: Call, arguments: Sequence[Term]) -> tuple[tuple[pl.Expr, Type], ...]:
    return tuple((a.value, part.type) for a, part in zip(arguments, call.arguments, strict=True))


ANY, ONE = object(), object()
Piece = str | object


def _pieces(pattern: str, escape: str | None) -> list[Piece]:
    """The pattern as texts that stand for themselves, ANY for % and ONE for _."""
    pieces: list[Piece] = []
    characters = iter(pattern)
    for char in characters:
        piece = next(characters) if char == escape else {"%": ANY, "_": ONE}.get(char, char)
        if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += piece
        elif not (piece is ANY and pieces and pieces[-1] is ANY):
            pieces.append(piece)
    return pieces


def _matches(text: pl.Expr, pieces: list[Piece]) -> pl.Expr:
    match pieces:
        case []:
            return text == ""
        case [str(exact)]:
            return text == exact
        case [str(start), end] if end is ANY:
            return text.str.starts_with(start)
        case [start, str(end)] if start is ANY:
            return text.str.ends_with(end)
        case [start, str(part), end] if start is ANY and end is ANY:
            return text.str.contains(part, literal=True)
    inside = "".join(_regex(piece) for piece in pieces)
    return text.str.contains(rf"(?s)\A{inside}\z")


def _regex(piece: Piece) -> str:
    if isinstance(piece, str):
        return _SPECIAL.sub(r"\\\g<0>", piece)
    return ".*" if piece is ANY else "."


def _count(value: pl.Expr) -> pl.Expr:
    """A number of characters: none if negative."""
    return value.cast(pl.Int64).clip(0, _LONGEST)


def _stripped(strip: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Maker:
    def stripped(text: pl.Expr, chars: pl.Expr | None = None) -> pl.Expr:
        # Polars takes a NULL for blanks.
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
    """What lies before the text counts, but is not there; the sum of the two may leave 64 bits."""
    taken = (
        pl.when(length <= 0)
        .then(0)
        .when((first >= 0) & (length > _LONGEST))
        .then(_LONGEST)
        .when(first >= 0)
        .then(length)
        .otherwise((first + length).clip(0, _LONGEST))
    )
    strict = first.is_not_null() & length.is_not_null()
    return pl.when(strict).then(text.str.slice(first.clip(0, _LONGEST), taken))


def _replace(call: Call, arguments: Sequence[Term]) -> Term:
    text, _, new = (argument.value for argument in arguments)
    # Polars does not put the text of each row into one text for all rows.
    if not _written(call, 1) or not text.meta.root_names():
        return by_rows(call, arguments)
    old = _value(call, 1)

    def replaced(text: pl.Expr, new: pl.Expr) -> pl.Expr:
        result = text.str.replace_all(old, new, literal=True) if old else text
        return pl.when(new.is_not_null()).then(result)

    if _written(call, 2):
        new_text = _value(call, 2)
        value = text.str.replace_all(old, new_text, literal=True) if old else text
        return Term(value, faults_of(arguments))
    return Term(let(replaced, text, new), faults_of(arguments))


def _position(call: Call, arguments: Sequence[Term]) -> Term:
    # Polars does not split one text for all rows at a delimiter of each.
    if not arguments[1].value.meta.root_names():
        return by_rows(call, arguments)
    return _plain(_found)(call, arguments)


def _found(needle: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Polars finds bytes, so the characters before are counted."""
    before = text.str.splitn(needle, 2).struct.field("field_0").str.len_chars().cast(pl.Int64)
    found = text.str.contains(needle, literal=True)
    return (
        pl.when(needle.is_null() | text.is_null())
        .then(None)
        .when(needle == "")
        .then(1)
        .when(found)
        .then(before + 1)
        .otherwise(0)
    )


def _padded(call: Call, arguments: Sequence[Term]) -> Term:
    fill = _value(call, 2) if len(arguments) > 2 else " "
    if not _written(call, 2) or len(fill) != 1:
        return by_rows(call, arguments)

    def padded(text: pl.Expr, length: pl.Expr) -> pl.Expr:
        cut = text.str.head(length)
        return cut.str.pad_start(length, fill) if call.function == "lpad" else cut.str.pad_end(length, fill)

    text, length = arguments[0].value, _count(arguments[1].value)
    return Term(let(padded, text, length), faults_of(arguments))


def _repeat(text: pl.Expr, count: pl.Expr) -> pl.Expr:
    known = text.is_not_null() & count.is_not_null()
    return pl.when(known).then(text.repeat_by(_count(count).fill_null(0)).list.join(""))


def _split_part(text: pl.Expr, delimiter: pl.Expr, number: pl.Expr) -> pl.Expr:
    """Polars splits at an empty delimiter into characters; ours leaves the text whole."""
    number = number.cast(pl.Int64).clip(-_LONGEST, _LONGEST)
    index = pl.when(number > 0).then(number - 1).otherwise(number)
    parts = (
        pl.when((delimiter == "") | (text == ""))
        .then(pl.concat_list(text))
        .otherwise(text.str.split(delimiter))
    )
    part = pl.when(number != 0).then(parts.list.get(index, null_on_oob=True)).fill_null("")
    known = text.is_not_null() & delimiter.is_not_null() & number.is_not_null()
    return pl.when(known).then(part)


MAKERS: dict[str, Maker] = {
    "like": _like,
    "ilike": _like,
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
}
