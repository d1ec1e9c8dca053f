"""LIKE and ILIKE: a literal pattern becomes an expression of Polars, others are matched row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import polars as pl

from slackwater.algebra.errors import long_escape, unfinished_pattern
from slackwater.algebra.expressions import Call, Literal
from slackwater.base.diagnostic import Bug, Diagnostic, EngineError
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.terms import Fault, Term, faults_of
from slackwater.kernels.expressions.values import literal

_SPECIAL: Final = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")


def is_literal(call: Call, *indices: int) -> bool:
    """Whether these arguments, as far as they are present, are literals."""
    return all(isinstance(call.arguments[i], Literal) for i in indices if i < len(call.arguments))


def literal_text(call: Call, index: int) -> str:
    part = call.arguments[index]
    return str(part.value) if isinstance(part, Literal) else ""


def _like(call: Call, arguments: Sequence[Term]) -> Term:
    values = [argument.value for argument in arguments]
    faults = faults_of(arguments)
    if not is_literal(call, 1, 2):
        value, wrong = _like_by_rows(call, values), _is_bad_by_rows(call, values)
        return Term(value, (*faults, _bad_pattern(call, values, wrong)))
    text = values[0].str.to_lowercase() if call.function == "ilike" else values[0]
    pattern, escape = _pattern(call, *(literal_text(call, index) for index in range(1, len(call.arguments))))
    if _problem(call, pattern, escape):
        return Term(literal(None, call.type), (*faults, _bad_pattern(call, values, text.is_not_null())))
    return Term(_matches(text, _pieces(_signs(pattern, escape))), faults)


def _pattern(call: Call, pattern: str, escape: str | None = None) -> tuple[str, str | None]:
    """The pattern and its escape as they are compared."""
    return (pattern.lower(), escape and escape.lower()) if call.function == "ilike" else (pattern, escape)


def _problem(call: Call, pattern: str, escape: str | None) -> Diagnostic | None:
    if escape is not None and len(escape) != 1:
        return long_escape(escape, call.origin)
    signs = _signs(pattern, escape)
    return unfinished_pattern(pattern, call.origin) if signs[-1:] == [UNFINISHED] else None


def _bad_pattern(call: Call, values: Sequence[pl.Expr], where: pl.Expr) -> Fault:
    def error(text: str, *pattern_arguments: str) -> EngineError:
        problem = _problem(call, *_pattern(call, *pattern_arguments))
        if problem is None:
            raise Bug(f"the pattern {pattern_arguments} of {call} is not in error")
        return EngineError(problem)

    return Fault(where, error, tuple(zip(values, types_of(call), strict=True)))


def _like_by_rows(call: Call, values: Sequence[pl.Expr]) -> pl.Expr:
    """Patterns that differ by row; NULL where one is in error."""

    def fits(text: str, *pattern_arguments: str) -> bool | None:
        pattern, escape = _pattern(call, *pattern_arguments)
        if _problem(call, pattern, escape):
            return None
        return _fits(text.lower() if call.function == "ilike" else text, _signs(pattern, escape))

    return by_rows(fits, values, types_of(call), call.type)


def _is_bad_by_rows(call: Call, values: Sequence[pl.Expr]) -> pl.Expr:
    def is_bad(text: str, *pattern_arguments: str) -> bool:
        return _problem(call, *_pattern(call, *pattern_arguments)) is not None

    return by_rows(is_bad, values, types_of(call), call.type)


ANY, ONE, UNFINISHED = object(), object(), object()
Piece = str | object


@lru_cache(maxsize=256)
def _signs(pattern: str, escape: str | None) -> list[Piece]:
    """The pattern as characters that stand for themselves, ANY for % and ONE for _."""
    characters = iter(pattern)
    return [
        next(characters, UNFINISHED) if char == escape else {"%": ANY, "_": ONE}.get(char, char)
        for char in characters
    ]


def _fits(text: str, signs: list[Piece]) -> bool:
    """The first run of signs starts the text, the last ends it; those between match as early as they can."""
    breaks = [index for index, sign in enumerate(signs) if sign is ANY]
    if not breaks:
        return len(text) == len(signs) and _fits_at(text, signs, 0)
    first, last = signs[: breaks[0]], signs[breaks[-1] + 1 :]
    at, end = len(first), len(text) - len(last)
    if end < at or not (_fits_at(text, first, 0) and _fits_at(text, last, end)):
        return False
    for left, right in pairwise(breaks):
        run = signs[left + 1 : right]
        start = next((i for i in range(at, end - len(run) + 1) if _fits_at(text, run, i)), None)
        if start is None:
            return False
        at = start + len(run)
    return True


def _fits_at(text: str, run: list[Piece], at: int) -> bool:
    return all(sign is ONE or sign == char for sign, char in zip(run, text[at : at + len(run)], strict=False))


def _pieces(signs: list[Piece]) -> list[Piece]:
    """The signs with neighbouring characters as one text, and neighbouring ANYs as one."""
    pieces: list[Piece] = []
    for piece in signs:
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


MAKERS: dict[str, Maker] = {"like": _like, "ilike": _like}
