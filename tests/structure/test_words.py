"""Names say what they name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EMPTY = {
    "asked", "each", "found", "given", "gone", "kept", "named", "pleased", "said", "taken", "told", "wanted",
    "written",
}  # fmt: skip
"""Participles and pronouns that fit anything, and so name nothing."""
FOLDERS = ("src/slackwater", "tests", "benchmarks")


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a module gives, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_name_is_an_empty_word(folder: str) -> None:
    modules = sorted((ROOT / folder).rglob("*.py"))
    assert modules
    empty = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in modules
        for line, name in names(ast.parse(path.read_text(encoding="utf-8")))
        if name.strip("_") in EMPTY
    ]
    assert empty == []
