"""Calls over structs, arrays and JSON that mean the same in Spark SQL, and the columns that they use."""

from __future__ import annotations

import json
import random
from typing import Any

from slackwater.algebra import types as t
from slackwater.algebra.types import Type
from slackwater.algebra.values import map_value

STRUCTS = (
    "st.a", "st.c.d", "(st).b", "struct(i, s AS q, st.a)", "named_struct('x', i, 'y', li)", "st = st",
    "struct(i, n) < struct(n, i)", "named_struct('x', i, 'y', u).y", "ls.b", "ls[0].a", "st.c",
    "coalesce(st.c.d, 0.5)", "CASE WHEN b THEN st END",
)  # fmt: skip
ARRAYS = (
    "array(i, n, 1)", "array(i, x)", "array(li, lj)", "array(st)", "array(s, NULL, u)", "li[n]", "li[0]",
    "lw[p]", "ll[0][1]", "get(li, n)", "element_at(li, nullif(n, 0))", "try_element_at(lw, nullif(n, 0))",
    "size(li)", "cardinality(ll)", "array_size(lw)", "array_contains(li, n)", "array_contains(li, x)",
    "array_contains(ld, w)", "array_contains(lw, u)", "array_position(li, n)", "array_position(ld, w)",
    "array_remove(li, n)", "array_remove(ld, w)", "array_append(li, n)", "array_append(lw, u)",
    "array_prepend(li, n)", "array_insert(li, nullif(n, 0), i)", "array_insert(lw, 2, u)",
    "array_distinct(li)", "array_distinct(ld)", "array_distinct(ls)", "array_compact(li)",
    "array_compact(lw)", "array_union(li, lj)", "array_union(ld, li)", "array_intersect(li, lj)",
    "array_intersect(ls, ls)", "array_except(li, lj)", "array_except(ld, li)", "arrays_overlap(li, lj)",
    "arrays_zip(li, lw)", "arrays_zip(li, array(n, 2)).li", "arrays_overlap(ld, li)", "array_join(lw, ',')",
    "array_join(lw, u, '?')", "array_min(li)", "array_max(li)", "array_min(ld)", "array_max(ld)",
    "array_max(ls)", "array_min(ll)", "sort_array(li)", "sort_array(ld, false)", "sort_array(lw, true)",
    "sort_array(ls)", "sort_array(ll, false)", "array_sort(li)", "array_sort(ld)", "array_sort(ls)",
    "reverse(li)", "reverse(ls)", "concat(li, lj)", "concat(li, ld, lj)", "li || lj",
    "slice(li, nullif(n, 0), 2)", "slice(lw, 2, p)", "flatten(ll)", "flatten(array(li, lj))",
    "sequence(n, p)", "sequence(n, n + p, 3)", "sequence(p, p - 5, -2)", "array_repeat(s, n)",
    "array_repeat(li, 2)", "li = lj", "li < lj", "li <=> lj", "greatest(li, lj)", "split(s, ',')[0]",
)  # fmt: skip
MAPS = (
    "ms[u]", "ms['a']", "ms.b", "element_at(ms, u)", "try_element_at(ms, 'ab')", "size(ms)",
    "cardinality(ms)", "map('a', i, 'b', n)", "map('a', i, 'b', x)", "map(coalesce(n, 50), s, 100, u)",
    "map_keys(ms)", "map_values(ms)", "sort_array(map_keys(map('b', i, 'a', n)))", "map_entries(ms)",
    "map_contains_key(ms, u)", "map_from_arrays(array('x', 'y'), array(i, n))",
    "map_from_arrays(array(1, 2), array(s, u))",
    "map_from_entries(array(struct('q' AS k, i AS v), struct('p' AS k, n AS v)))",
    "map_concat(ms, map('zz', i))", "to_json(ms)", "map_concat(ms, map('zz', x))",
    "from_json(js, 'MAP<STRING, STRING>')", "from_json(js, 'd MAP<STRING, STRING>')",
    "from_json(to_json(ms), 'MAP<STRING, INT>')", "coalesce(ms, map())", "CASE WHEN b THEN ms END",
    "map(1, ms)[1]",
)  # fmt: skip
_COLUMNS = "a INT, b STRING, c ARRAY<INT>, d STRUCT<e: DOUBLE, f: STRING>"
JSONS = (
    f"from_json(js, '{_COLUMNS}')", f"from_json(js, '{_COLUMNS}').d.e",
    "from_json(js, 'b STRING, a DOUBLE')", "from_json(js, 'ARRAY<INT>')",
    "from_json(js, 'ARRAY<STRUCT<a: INT, b: STRING>>')",
    "from_json(js, 'a DECIMAL(4, 1), b BOOLEAN, c STRING, d STRING')",
    "from_json(js, 'a TINYINT, b BIGINT')",
    "from_json(to_json(st), 'a INT, b STRING, c STRUCT<d: DOUBLE>')", "from_json(u, 'a INT')",
    "to_json(st)", "to_json(li)", "to_json(ls)", "to_json(ll)", "to_json(ld)",
    "to_json(struct(b, m, d, k, i, l))", "to_json(struct(ts, tz, x, y))",
    "to_json(struct(s, v, chr(n + 5) AS c))",
)  # fmt: skip


def _maybe(draw: random.Random, value: Any) -> Any:
    return None if draw.random() < 0.15 else value


def _numbers(draw: random.Random) -> tuple[Any, ...]:
    return tuple(_maybe(draw, draw.randint(-2, 4)) for _ in range(draw.randint(0, 4)))


def _doubles(draw: random.Random) -> tuple[Any, ...]:
    choices = (float("nan"), 0.0, 1.0, 2.0, -1.5, float("inf"))
    return tuple(_maybe(draw, draw.choice(choices)) for _ in range(draw.randint(0, 4)))


def _words(draw: random.Random) -> tuple[Any, ...]:
    return tuple(_maybe(draw, draw.choice(("a", "b", "", "ab", "Zürich"))) for _ in range(draw.randint(0, 4)))


def _pair(draw: random.Random) -> tuple[Any, ...]:
    return _maybe(draw, draw.randint(-1, 2)), _maybe(draw, draw.choice(("a", "b")))


def _struct(draw: random.Random) -> tuple[Any, ...]:
    return (*_pair(draw), _maybe(draw, (_maybe(draw, draw.choice((0.5, -1.25e10, 3.0))),)))


def _map(draw: random.Random) -> Any:
    keys = draw.sample(("a", "b", "ab", ",", "", "Ü"), draw.randint(0, 4))
    return map_value((key, _maybe(draw, draw.randint(-3, 3))) for key in keys)


def _any(draw: random.Random, depth: int) -> Any:
    kinds = ("number", "word", "float", "null", "bool", *(("list", "object") if depth else ()))
    match draw.choice(kinds):
        case "number":
            return draw.choice((0, 7, -3, 128, 2**31, 10**12))
        case "float":
            return draw.choice((1.5, 2.25, 1e20, -0.125))
        case "word":
            return draw.choice(("", "x", "7", "é\n", '"'))
        case "bool":
            return draw.random() < 0.5
        case "list":
            return [_any(draw, depth - 1) for _ in range(draw.randint(0, 3))]
        case "object":
            return {name: _any(draw, depth - 1) for name in draw.sample("abef", draw.randint(0, 3))}
    return None


def _text(draw: random.Random) -> str:
    """An object that has some of the columns, a list, or a text that is no JSON."""
    numbers = [draw.randint(0, 3) for _ in range(draw.randint(0, 3))]
    fields: dict[str, Any] = {
        "a": draw.randint(-9, 9),
        "b": draw.choice("xyz"),
        "c": numbers,
        "d": {"e": 1.5, "f": "x"},
    }
    for name in draw.sample("abcd", draw.randint(0, 2)):
        fields[name] = _any(draw, 2)
    chosen = {name: fields[name] for name in draw.sample("abcd", draw.randint(1, 4))}
    whole = draw.choice((chosen, chosen, chosen, numbers, [chosen, _any(draw, 1)], _any(draw, 1)))
    text = json.dumps(whole, ensure_ascii=draw.random() < 0.5)
    return draw.choice((text, text, text, text, text[:-1], f" {text} x", text.replace('"', "'")))


COLUMNS: dict[str, tuple[Type, Any]] = {
    "li": (t.array(t.INT), _numbers),
    "lj": (t.array(t.INT), _numbers),
    "ld": (t.array(t.DOUBLE), _doubles),
    "lw": (t.array(t.STRING), _words),
    "ll": (t.array(t.array(t.INT)), lambda d: tuple(_maybe(d, _numbers(d)) for _ in range(d.randint(0, 3)))),
    "st": (t.struct(a=t.INT, b=t.STRING, c=t.struct(d=t.DOUBLE)), _struct),
    "ls": (
        t.array(t.struct(a=t.INT, b=t.STRING)),
        lambda d: tuple(_maybe(d, _pair(d)) for _ in range(d.randint(0, 3))),
    ),
    "js": (t.STRING, _text),
    "ms": (t.map_of(t.STRING, t.INT), _map),
}
"""The type of each column and how its values are drawn."""
