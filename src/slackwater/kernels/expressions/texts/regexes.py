"""Regular expressions on columns: the tree of a pattern as one of Polars, whose engine takes linear time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.expressions import regexes as r
from slackwater.algebra.types import STRING
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.terms import Term, faults_of, let

Compute = Callable[..., pl.Expr]


@lru_cache(maxsize=512)
def translated(pattern: str) -> str:
    return _rust(r.parsed(pattern))


def _rust(pattern: r.Pattern) -> str:
    match pattern:
        case r.Characters():
            return _set(pattern.ranges)
        case r.Place(kind="start" | "end" as kind):
            return r"\A" if kind == "start" else r"\z"
        case r.Place(kind=kind):
            return r"(?-u:\b)" if kind == "word" else r"(?-u:\B)"
        case r.Group():
            return ("(" if pattern.is_numbered else "(?:") + _rust(pattern.body) + ")"
        case r.Sequence():
            return "".join(_rust(part) for part in pattern.parts)
        case r.Choice():
            return "(?:" + "|".join(_rust(part) for part in pattern.parts) + ")"
        case r.Repeat():
            most = "" if pattern.most is None else str(pattern.most)
            lazy = "?" if pattern.is_lazy else ""
            return f"(?:{_rust(pattern.body)}){{{pattern.least},{most}}}{lazy}"


def _set(ranges: r.Ranges) -> str:
    return "[" + "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges) + "]"


def _constant(call: Call, place: int, default: Any = None) -> Any:
    part = call.arguments[place] if place < len(call.arguments) else None
    return part.value if isinstance(part, Literal) else default


def _matching(compute: Compute) -> Maker:
    """A function of a text and a constant pattern, and of further constants."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        pattern = translated(_constant(call, 1))
        rest = [_constant(call, place) for place in range(2, len(call.arguments))]
        return Term(let(lambda text: compute(text, pattern, *rest), arguments[0].value), faults_of(arguments))

    return make


def _extract(text: pl.Expr, pattern: str, group: int = 1) -> pl.Expr:
    return pl.when(text.is_not_null()).then(text.str.extract(pattern, group).fill_null(""))


def _extract_all(text: pl.Expr, pattern: str, group: int = 1) -> pl.Expr:
    """The matches, and the group in each: a match by itself is matched in the same way."""
    matches = text.str.extract_all(pattern)
    return matches if not group else matches.list.eval(pl.element().str.extract(pattern, group).fill_null(""))


def _split(call: Call, arguments: Sequence[Term]) -> Term:
    pattern = translated(_constant(call, 1))
    text, _, *limit = (argument.value for argument in arguments)
    values = [text, text.str.extract_all(pattern), *limit]
    types = [STRING, call.type, *(part.type for part in call.arguments[2:])]
    return Term(by_rows(_between, values, types, call.type), faults_of(arguments))


def _between(text: str, separators: tuple[str, ...], limit: int = -1) -> tuple[str, ...]:
    """A match is where its text next occurs, for no match begins before."""
    parts = []
    for separator in separators if limit <= 0 else separators[: limit - 1]:
        part, _, text = text.partition(separator)
        parts.append(part)
    return (*parts, text)


def _replace(text: pl.Expr, pattern: str, new: str) -> pl.Expr:
    return text.str.replace_all(pattern, _replacement(new))


def _replacement(new: str) -> str:
    """Polars' syntax for Java's: `$1` is `${1}`, `\\$` is `$$`."""
    result, characters = "", iter(new)
    for char in characters:
        if char == "\\":
            char = next(characters)
            result += "$$" if char == "$" else char
        elif char == "$":
            result += "${" + next(characters) + "}"
        else:
            result += char
    return result


def _instr(text: pl.Expr, pattern: str) -> pl.Expr:
    before = text.str.extract(rf"(?s:\A(.*?))(?:{pattern})", 1)
    return pl.when(text.is_not_null()).then(before.str.len_chars().cast(pl.Int64).fill_null(-1) + 1)


MAKERS: dict[str, Maker] = {
    "regexp_like": _matching(lambda text, pattern: text.str.contains(pattern)),
    "regexp_extract": _matching(_extract),
    "regexp_extract_all": _matching(_extract_all),
    "regexp_replace": _matching(_replace),
    "regexp_count": _matching(lambda text, pattern: text.str.count_matches(pattern).cast(pl.Int64)),
    "regexp_instr": _matching(_instr),
    "regexp_substr": _matching(lambda text, pattern: text.str.extract(f"({pattern})", 1)),
    "split": _split,
}
