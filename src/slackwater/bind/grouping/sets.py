"""ROLLUP, CUBE and GROUPING SETS: the sets of keys that a GROUP BY groups by.

GROUP BY a, ROLLUP (b, c)  =  GROUP BY GROUPING SETS ((a, b, c), (a, b), (a))

Elements are multiplied; an element in parentheses is one: ROLLUP ((a, b), c).
"""

from __future__ import annotations

from itertools import combinations

from sqlglot import exp

Keys = list[exp.Expression]
MOST = 256
"""Each set is an aggregate of its own."""
_WORDS = ("ROLLUP", "CUBE", "GROUPING SETS")


def sets_word(element: exp.Expression) -> str | None:
    """ROLLUP, CUBE or GROUPING SETS, if the element of GROUP BY is one."""
    word = element.name.upper() if isinstance(element, exp.Anonymous) else ""
    return word if word in _WORDS else None


def key_sets(elements: list[exp.Expression]) -> list[Keys] | None:
    """The sets of the keys of GROUP BY; None if there are too many."""
    sets: list[Keys] = [[]]
    for element in elements:
        own = _sets_of(element)
        if own is None or len(sets) * len(own) > MOST:
            return None
        sets = [[*keys, *more] for keys in sets for more in own]
    return sets


def _sets_of(element: exp.Expression) -> list[Keys] | None:
    word, items = sets_word(element), element.expressions
    parts = [_together(item) for item in items] if word else []
    match word:
        case "ROLLUP":
            return [_joined(parts[:count]) for count in range(len(parts), -1, -1)]
        case "CUBE":
            if 2 ** len(parts) > MOST:
                return None
            counts = range(len(parts), -1, -1)
            return [_joined(chosen) for count in counts for chosen in combinations(parts, count)]
        case "GROUPING SETS":
            nested = [_sets_of(item) if sets_word(item) else [_together(item)] for item in items]
            return None if None in nested else [keys for sets in nested for keys in sets or []]
    return [[element]]


def _together(item: exp.Expression) -> Keys:
    """The keys of an element: those in parentheses, or itself."""
    return list(item.expressions) if isinstance(item, exp.Tuple) else [item]


def _joined(parts: tuple[Keys, ...] | list[Keys]) -> Keys:
    return [key for part in parts for key in part]
