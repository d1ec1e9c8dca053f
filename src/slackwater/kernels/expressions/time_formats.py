"""Times read and written by formats, a column at a time."""

from __future__ import annotations

from typing import Final

import polars as pl

from slackwater.algebra.expressions.time_formats import DAYS, MONTHS, Field, parts
from slackwater.kernels.expressions.moments import day_number
from slackwater.kernels.expressions.terms import let

_DAY: Final = 86_400_000_000
_SPECIAL: Final = frozenset(".+*?()|[]{}^$\\#&~-")


def shown(moment: pl.Expr, format_: str) -> pl.Expr:
    """The times in the format."""
    pieces = [_shown(part, moment) if isinstance(part, Field) else pl.lit(part) for part in parts(format_)]
    text = pl.concat_str(pieces) if pieces else pl.lit("")
    return pl.when(moment.is_not_null()).then(text)


def _digits(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.Int64).cast(pl.String).str.zfill(width)


def _name(number: pl.Expr, names: list[str]) -> pl.Expr:
    return pl.lit(pl.Series("", names)).gather(number.cast(pl.UInt32).fill_null(1) - 1)


def _shown(field: Field, moment: pl.Expr) -> pl.Expr:
    count, dt = field.count, moment.dt
    hour = dt.hour().cast(pl.Int64)
    match field.letter:
        case "y" | "u":
            year = dt.year().cast(pl.Int64)
            return _digits(year % 100, 2) if count == 2 else _digits(year, count)
        case "M" | "L":
            return _digits(dt.month(), count) if count < 3 else _name(dt.month(), _short(MONTHS, count))
        case "E":
            return _name(dt.weekday(), _short(DAYS, count))
        case "Q" | "q":
            return (
                _digits(dt.quarter(), count)
                if count < 3
                else pl.concat_str(pl.lit("Q"), _digits(dt.quarter(), 1))
            )
        case "a":
            return pl.when(hour < 12).then(pl.lit("AM")).otherwise(pl.lit("PM"))
        case "S":
            return pl.concat_str(_digits(dt.microsecond(), 6), pl.lit("000")).str.head(count)
    numbers = {
        "d": dt.day(),
        "D": dt.ordinal_day(),
        "H": hour,
        "k": (hour + 23) % 24 + 1,
        "K": hour % 12,
        "h": (hour + 11) % 12 + 1,
        "m": dt.minute(),
        "s": dt.second(),
    }
    return _digits(numbers[field.letter], count)


def _short(names: list[str], count: int) -> list[str]:
    return names if count == 4 else [name[:3] for name in names]


def parsed(text: pl.Expr, format_: str) -> pl.Expr:
    """The microseconds since 1970; NULL where the text is not in the format."""
    fields = [part for part in parts(format_) if isinstance(part, Field)]
    if not fields:
        return pl.when(text == "".join(str(part) for part in parts(format_))).then(0)
    pattern = "".join(_group(part) if isinstance(part, Field) else _quoted(part) for part in parts(format_))
    groups = text.str.extract_groups(rf"(?i-u)\A{pattern}\z" if pattern.isascii() else rf"(?i)\A{pattern}\z")
    words = [groups.struct.field(str(place)) for place in range(1, len(fields) + 1)]

    def combined(*numbers: pl.Expr) -> pl.Expr:
        return _micros({field.letter: number for field, number in zip(fields, numbers, strict=True)})

    return let(combined, *(_number(field, word) for field, word in zip(fields, words, strict=True)))


def _quoted(text: str) -> str:
    return "".join("\\" + char if char in _SPECIAL else char for char in text)


def _group(field: Field) -> str:
    if field.letter == "a":
        return "(am|pm)"
    if field.letter == "S":
        return rf"([0-9]{{1,{field.count}}})"
    if field.letter in "ML" and field.count > 2:
        return "(" + "|".join(_short(MONTHS, field.count)) + ")"
    return rf"([0-9]{{{field.count}}})" if field.count > 1 else "([0-9]{1,19})"


def _number(field: Field, word: pl.Expr) -> pl.Expr:
    if field.letter == "a":
        return (word.str.to_lowercase() == "pm").cast(pl.Int64)
    if field.letter == "S":
        return word.str.pad_end(6, "0").str.head(6).cast(pl.Int64)
    if field.letter in "ML" and field.count > 2:
        numbers = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
        return (
            word.str.to_lowercase().str.head(3).replace_strict(numbers, default=None, return_dtype=pl.Int64)
        )
    number = word.cast(pl.Int64, strict=False)
    return number + 2000 if field.letter in "yu" and field.count == 2 else number


def _micros(numbers: dict[str, pl.Expr]) -> pl.Expr:
    """Missing fields are those of 1970-01-01; a NULL is a text that did not match."""

    def number(letters: str, default: int) -> pl.Expr:
        return next(
            (numbers[letter] for letter in letters if letter in numbers), pl.lit(default, dtype=pl.Int64)
        )

    half = number("h", 12)
    hour = numbers["H"] if "H" in numbers else half % 12 + number("a", 0) * 12
    minute, second, micros = number("m", 0), number("s", 0), number("S", 0)
    valid = (
        half.is_between(1, 12) & hour.is_between(0, 23) & minute.is_between(0, 59) & second.is_between(0, 59)
    )
    every = pl.all_horizontal([value.is_not_null() for value in numbers.values()])
    days = let(day_number, number("yu", 1970), number("ML", 1), number("d", 1))
    clock = ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros
    return pl.when(every & valid).then(days * _DAY + clock)
