"""Grammar -> tables of an LALR parser, by Lark, as plain data that can be kept in a file.

The tables are made when the package is built (`hatch_build.py`): Lark takes more memory than all the rest of
a query that streams. This module is loaded then, too, so it imports nothing of the package.
"""

from __future__ import annotations

from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

_SHIFT = 0
_END = "$END"


class _Elsewhere(Lexer):
    """The terminals have no patterns here: tokens come from the scanner."""

    def __init__(self, _configuration: object) -> None:
        pass

    def lex(self, *_: object) -> Any:
        raise NotImplementedError


def analysed(grammar: str) -> dict[str, Any]:
    """The tables of a grammar; `tables` says what their parts mean."""
    lark = Lark(grammar, parser="lalr", lexer=_Elsewhere, start="module")
    data, numbered = lark.memo_serialize([TerminalDef, Rule])
    found = data["parser"]["parser"]
    symbols = found["tokens"]
    rules = {number: each for number, each in numbered.items() if each["__type__"] == "Rule"}
    places = {number: place for place, number in enumerate(rules)}

    def action(kind: int, target: Any) -> int:
        return int(target) if kind == _SHIFT else ~places[target["@"]]

    rows = {
        state: {symbols[symbol]: action(*each) for symbol, each in row.items()}
        for state, row in found["states"].items()
    }
    end = found["end_states"]["module"]
    rows[end][_END] = end
    return {
        "grammar": grammar,
        "start": found["start_states"]["module"],
        "rules": [_rule(each) for each in rules.values()],
        "actions": [rows[state] for state in range(len(rows))],
    }


def _rule(rule: dict[str, Any]) -> list[Any]:
    origin, options = rule["origin"]["name"], rule["options"]
    is_single = options["expand1"] and not rule["alias"]
    builds = "" if origin.startswith("_") else rule["alias"] or origin
    return [origin, len(rule["expansion"]), builds, is_single, _parts(rule)]


def _parts(rule: dict[str, Any]) -> list[int | None]:
    """Which symbols are handed on; None where an optional symbol is absent."""
    expansion = rule["expansion"]
    absent = rule["options"]["empty_indices"] or [False] * len(expansion)
    symbols = iter(enumerate(expansion))
    parts: list[int | None] = []
    for is_absent in absent:
        if is_absent:
            parts.append(None)
            continue
        place, symbol = next(symbols)
        if symbol["__type__"] == "NonTerminal":
            parts.append(~place if symbol["name"].startswith("_") else place)
        elif not symbol["filter_out"]:
            parts.append(place)
    return parts
