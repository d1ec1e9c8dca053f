"""The parser and its generated tables, compared with Lark."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest
from lark.lexer import Lexer

from slackwater.base.span import Text
from slackwater.language.xquery import lalr
from slackwater.language.xquery import tables as stored
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.scan.expressions import tokens
from slackwater.language.xquery.scan.scanner import Scanner
from slackwater.language.xquery.scan.tokens import END

GRAMMAR = Path(stored.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
TEXTS = [path for path in sorted(Path(__file__).parent.rglob("*.xq")) if path.stem != "too-deep"]
"""A tree that is too deep for Lark is too deep to compare."""


class Scanned(Lexer):
    """The tokens of our scanner, for Lark."""

    def __init__(self, _configuration: object) -> None:
        pass

    def lex(self, scanner: Scanner) -> Iterator[lark.Token]:  # type: ignore[override]
        for token in tokens(scanner):
            if token.kind != END:
                yield lark.Token(token.kind, str(token), token.start, end_pos=token.end)


@cache
def parser() -> lark.Lark:
    return lark.Lark(GRAMMAR, parser="lalr", lexer=Scanned, start="module", propagate_positions=True)


def shape(tree: Any) -> Any:
    if isinstance(tree, lark.Tree):
        meta = tree.meta
        return (str(tree.data), [shape(child) for child in tree.children], meta.start_pos, meta.end_pos)
    return tree


def by_lark(text: Text) -> Any:
    try:
        return shape(parser().parse(Scanner(text)))  # type: ignore[arg-type]  # the argument of Scanned.lex
    except lark.UnexpectedToken as unexpected:
        return unexpected.token.type, unexpected.accepts
    except Refused as refused:
        return refused.diagnostic


def by_tables(text: Text) -> Any:
    try:
        return lalr.parse_tokens(tokens(Scanner(text)), stored.tables(), lambda *rule: rule)
    except lalr.UnexpectedToken as unexpected:
        return unexpected.token.kind, unexpected.accepted
    except Refused as refused:
        return refused.diagnostic


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(Path(__file__).parent)))
def test_the_tables_agree_with_the_grammar(path: Path) -> None:
    text = Text(path.name, path.read_text(encoding="utf-8"))
    assert by_tables(text) == by_lark(text)


def test_installing_generates_the_tables() -> None:
    assert stored._load(GRAMMAR) is not None
    assert stored._load(GRAMMAR + "// changed since") is None


def test_missing_tables_are_generated_again() -> None:
    generated = stored._generate(GRAMMAR)
    assert generated["rules"] == stored._load(GRAMMAR)["rules"]  # type: ignore[index]


def test_a_query_runs_without_lark() -> None:
    program = "import sys; from slackwater import xquery; xquery('/a/b'); sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
