"""Grammar -> tables of an LALR parser, by Lark, as plain data that can be stored in a file.

The tables are made when the package is built (`hatch_build.py`): Lark takes more memory than a whole
streaming query. The build loads this module by itself, so it imports nothing of the package.
"""

from __future__ import annotations

from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

_SHIFT = 0
_END = "$END"


class _NoLexer(Lexer):
    """A lexer that is never called: tokens come from the scanner."""

    def __init__(self, _configuration: object) -> None:
        pass

    def lex(self, *_: object) -> Any:
        raise NotImplementedError


def make_tables(grammar: str) -> dict[str, Any]:
    """The tables of a grammar; `tables` documents their parts."""
    lark = Lark(grammar, parser="lalr", lexer=_NoLexer, start="module")
    data, numbered = lark.memo_serialize([TerminalDef, Rule])
    parser = data["parser"]["parser"]
    symbols = parser["tokens"]
    rules = {number: rule for number, rule in numbered.items() if rule["__type__"] == "Rule"}
    places = {number: place for place, number in enumerate(rules)}

    def action(kind: int, target: Any) -> int:
        return int(target) if kind == _SHIFT else ~places[target["@"]]

    rows = {
        state: {symbols[symbol]: action(*entry) for symbol, entry in row.items()}
        for state, row in parser["states"].items()
    }
    end = parser["end_states"]["module"]
    rows[end][_END] = end
    return {
        "grammar": grammar,
        "start": parser["start_states"]["module"],
        "rules": [_rule(rule) for rule in rules.values()],
        "actions": [rows[state] for state in range(len(rows))],
    }


def _rule(rule: dict[str, Any]) -> list[Any]:
    origin, options = rule["origin"]["name"], rule["options"]
    is_single = options["expand1"] and not rule["alias"]
    builds = "" if origin.startswith("_") else rule["alias"] or origin
    return [origin, len(rule["expansion"]), builds, is_single, _parts(rule)]


def _parts(rule: dict[str, Any]) -> list[int | None]:
    """Which symbols become parts of the node; None where an optional symbol is absent."""
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
