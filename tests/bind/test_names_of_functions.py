"""An error about a function names what the query says, and suggests only what exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from sqlglot import exp

from slackwater.base.diagnostic import Diagnostic, QueryError, render
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.functions import aggregate_call, function_call, known_functions
from slackwater.bind.program import bind
from slackwater.bind.spellings import AGGREGATE_NODES, FLAGS, NODES, SPECIAL_KEYS
from slackwater.language.cql.consumed import CONSUMED
from slackwater.language.cql.nodes import STREAM_OPERATORS

DECLARED = "CREATE STREAM s (a INT, b STRING, ts TIMESTAMP) TIME ts;"


def functions(base: type[exp.Expr] = exp.Func) -> Iterator[type[exp.Func]]:
    """The classes of sqlglot's functions."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith("sqlglot."):
            yield kind
            yield from functions(kind)


CLASSES = sorted(set(functions()), key=lambda kind: kind.__name__)
NAMES = sorted({name for kind in CLASSES for name in kind.sql_names() if name.isidentifier()})
INTERNAL = {name.upper() for kind in CLASSES for name in (kind.key, kind.__name__, *kind.sql_names())}


@cache
def errors_of(query: str) -> list[Diagnostic]:
    catalog = Catalog()
    bind(Text("declared", DECLARED), catalog)
    try:
        bind(Text("query", query), catalog)
    except QueryError as error:
        return list(error.diagnostics)
    return []


@pytest.mark.parametrize("arguments", ["", "a", "b, a", "a, b, ts"])
def test_an_unknown_function_is_named_as_it_is_written(arguments: str) -> None:
    assert len(NAMES) > 600
    for name in NAMES:
        for error in errors_of(f"SELECT {name}({arguments}) FROM s [NOW]"):
            if error.code == "unknown-function":
                assert error.message == f'function "{name}" does not exist'
            words = set(re.findall(r"\b[A-Z_]+\b", f"{error.message} {error.detail or ''}"))
            assert not words & (INTERNAL - {name.upper()}) - WORDS, render(error)


WORDS = {"CAST", "DATE", "TIMESTAMP", "INTERVAL", "IN", "CASE", "IF", "EXISTS", "ANY", "ALL", "TIME", "MAP"}
"""Words of SQL that texts of errors have, and sqlglot, too."""


def test_a_suggestion_is_another_name_that_exists() -> None:
    known = {*known_functions(), *STREAM_OPERATORS}
    for name in NAMES:
        for error in errors_of(f"SELECT {name}(a) FROM s [NOW]"):
            suggested = re.fullmatch(r'Did you mean "(.+)"\?', error.hint or "")
            if error.code == "unknown-function" and suggested is not None:
                assert suggested[1].lower() in known
                assert suggested[1].lower() != name.lower()


def test_every_function_that_may_be_suggested_is_a_function() -> None:
    for name in known_functions():
        codes = {error.code for error in errors_of(f"SELECT {name}(a) FROM s [NOW]")}
        assert "unknown-function" not in codes, name


def keys_of(kind: type[exp.Func]) -> set[str]:
    """The arguments of a function that binding reads."""
    keys = NODES[kind][1] if kind in NODES else SPECIAL_KEYS.get(kind, ("this", "expression"))
    return {*keys, *FLAGS, *(("this", "expressions") if kind in AGGREGATE_NODES else ())}


def test_a_call_with_an_argument_that_is_not_read_is_not_a_function() -> None:
    refused = 0
    for kind in CLASSES:
        for key in kind.arg_types.keys() - keys_of(kind):
            if kind not in CONSUMED:
                node = kind(this=exp.column("a"), **{key: exp.column("b")})
                assert function_call(node) is None, (kind, key)
                assert aggregate_call(node) is None, (kind, key)
                refused += 1
    assert refused > 500
