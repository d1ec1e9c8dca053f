"""Problems are data: what a case must say of them is checked in the source, for every call."""

from __future__ import annotations

import ast
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from docs.errors_page import SECTIONS, by_code, entries, every_problem
from slackwater.base.diagnostic import Severity, render
from slackwater.base.problem import Problem
from slackwater.base.span import Text

SRC = Path(__file__).parents[2] / "src"
GENERAL = {"where", "label", "detail", "hint"}


class Call(NamedTuple):
    """A `problems.NAME.at(…)` or the like in the source: where, of which problem, with which facts."""

    place: str
    name: str
    problem: Problem
    facts: set[str | None]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts)


def calls() -> list[Call]:
    calls: list[Call] = []
    for path in sorted(SRC.rglob("*.py")):
        content = path.read_text(encoding="utf-8")
        tree = ast.parse(content)
        module = import_module(module_name(path)) if ".at(" in content else None
        makers = facts_of_makers(tree)
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Attribute(ast.Attribute(ast.Name("problems"), name), "at")):
                    problem = getattr(module.problems, name)
                case ast.Call(ast.Attribute(ast.Name(name), "at")) if isinstance(
                    getattr(module, name, None), Problem
                ):
                    problem = getattr(module, name)
                case ast.Call(ast.Name(maker), [ast.Attribute(ast.Name("problems"), name), *_]) if (
                    maker in makers
                ):
                    problem = getattr(module.problems, name)
                    calls.append(Call(f"{module_name(path)}:{node.lineno}", name, problem, makers[maker]))
                    continue
                case _:
                    continue
            calls.append(Call(f"{module_name(path)}:{node.lineno}", name, problem, facts_in(node)))
    return calls


def facts_in(call: ast.Call) -> set[str | None]:
    return {keyword.arg for keyword in call.keywords} - GENERAL


def facts_of_makers(tree: ast.Module) -> dict[str, set[str | None]]:
    """The functions that take a problem as their first argument, and the facts they give it."""
    return {
        function.name: facts_in(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.args.args
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == f"{function.args.args[0].arg}.at"
        and ast.unparse(function.args.args[0].annotation or node.func) == Problem.__name__
    }


CALLS = calls()


def test_calls_give_the_facts_of_the_templates_and_no_others() -> None:
    wrong = [(call.place, call.facts ^ call.problem.facts) for call in CALLS]
    assert [(place, names) for place, names in wrong if names] == []


def test_every_problem_can_occur() -> None:
    met = {id(call.problem) for call in CALLS}
    assert [entry for entry in every_problem() if id(entry) not in met] == []


def test_every_catalogue_is_listed() -> None:
    listed = [module.__name__ for modules in SECTIONS.values() for module in modules]
    assert sorted(listed) == sorted(map(module_name, SRC.rglob("problems.py")))


def test_diagnostics_are_made_of_problems_only() -> None:
    made = [
        path.name
        for path in SRC.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Diagnostic"
    ]
    assert made == ["problem.py"]


def test_a_code_means_one_thing() -> None:
    assert {code: n for code, n in meanings().items() if n != 1} == {}


def meanings() -> dict[str, int]:
    return {code: sum(bool(entry.means) for entry in problems) for code, problems in by_code().items()}


def test_no_catalogue_has_an_entry_twice() -> None:
    for modules in SECTIONS.values():
        for module in modules:
            counts = Counter(entries(module))
            assert [entry.code for entry, n in counts.items() if n > 1] == [], module.__name__


def test_messages_are_phrases_and_details_and_hints_are_sentences() -> None:
    assert [entry.message for entry in every_problem() if entry.message.endswith(".")] == []
    sentences = [
        text for entry in every_problem() for text in (entry.detail, entry.hint, entry.means) if text
    ]
    assert [text for text in sentences if not text.endswith((".", ";", "…", "}", '"'))] == []


def test_what_is_given_replaces_what_is_general() -> None:
    problem = Problem("odd", "{n} is odd", "here", "It is {n}.", "Add 1.", Severity.WARNING)
    span = Text("q", "SELECT 3").span(7, 8)
    assert render(problem.at(span, n=3)).endswith("^ here\n  = detail: It is 3.\n  = hint: Add 1.")
    assert problem.at(span, n=3, hint="Add 5.", where="a file").hint == "Add 5."
    assert problem.at(span, n=3, where="a file").where is None
    assert problem.at(n=3, where="a file").where == "a file"
    assert problem.facts == {"n"}
