"""Converts queries in normal form back to expressions, which the reference can evaluate."""

from __future__ import annotations

import dataclasses

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import Let
from slackwater.flux.plan.syntax import Query
from slackwater.flux.plan.terms import place, replaced, substituted
from slackwater.language.xquery import syntax as ast
from slackwater.schema import TEXT


class SplitConstructor(Exception):
    """The tags of one constructor are in different loops, where Merge2 may put tags and boundaries."""


def expression_of(query: Query, lets: tuple[Let, ...] = ()) -> ast.Expr:
    """The expression that a query in normal form means, with tags joined to constructors again."""
    expr = _listed(_items(query))
    for let in reversed(lets):
        expr = substituted(expr, {let.variable: let.value})
    return expr


def _listed(items: list[ast.Expr]) -> ast.Expr:
    return items[0] if len(items) == 1 else ast.Sequence(tuple(items))


def _items(query: Query) -> list[ast.Expr]:
    """The items of a query; those between tags become content."""
    stack: list[tuple[flux.StartTag | None, list[list[ast.Expr] | ast.Expr]]] = [(None, [[]])]
    for part in flux.parts_of(query):
        match part:
            case flux.StartTag():
                stack.append((part, [[]]))
            case flux.EndTag(name):
                tag, groups = stack.pop()
                if tag is None or tag.name != name:
                    raise SplitConstructor(name)
                _add(stack[-1][1], ast.Element(name, tag.attributes, _content(groups)))
            case flux.Text(text):
                stack[-1][1].extend([ast.Characters(text), []])
            case flux.Boundary():
                if len(stack) == 1:
                    raise SplitConstructor(part)
                stack[-1][1].append([])
            case _:
                _add(stack[-1][1], _expression(part))
    if len(stack) > 1:
        raise SplitConstructor(stack[-1][0])
    return [item for group in stack[0][1] for item in (group if isinstance(group, list) else [group])]


def _add(groups: list[list[ast.Expr] | ast.Expr], item: ast.Expr) -> None:
    last = groups[-1]
    assert isinstance(last, list)
    last.append(item)


def _content(groups: list[list[ast.Expr] | ast.Expr]) -> tuple[ast.Expr, ...]:
    return tuple(_listed(group) if isinstance(group, list) else group for group in groups if group != [])


def _expression(part: Query) -> ast.Expr:
    match part:
        case flux.Copy(variable):
            return ast.Variable(variable)
        case flux.Value(expr):
            return expr
        case flux.If(condition, body):
            return ast.If(condition, _listed(_items(body)))
        case flux.For(variable, source, body, at):
            return ast.Flwor((ast.For(variable, source, at),), _listed(_items(body)))
        case flux.Windowed(variable, source, path, window, body, item, where):
            steps = tuple(_step(test) for test in path)
            items: ast.Expr = ast.Path(ast.Variable(source), steps)
            if where is not None:
                items = ast.Flwor((ast.For(item, items), ast.Where(where)), ast.Variable(item))
            return ast.Flwor((ast.For(variable, items, window=window),), _listed(_items(body)))
        case flux.Loop():
            return _loop(part)
    raise TypeError(f"not a part of a normal form: {part!r}")


def _step(test: flux.Test) -> ast.Step:
    return ast.Step("child", ast.KindTest("text") if test.name == TEXT else ast.NameTest(test.name))


def _loop(loop: flux.Loop) -> ast.Expr:
    """One step for all branches, and for each node the branch whose test it passes."""
    if len(loop.branches) == 1:
        (branch,) = loop.branches
        path = ast.Path(ast.Variable(loop.source), (_step(branch.test),))
        body, at = _numbered(_listed(_items(branch.body)), branch.variable)
        return ast.Flwor((ast.For(branch.variable, path, at),), body)
    name = f"any-{loop.branches[0].variable}"
    result: ast.Expr = ast.Sequence()
    for branch in reversed(loop.branches):
        test = ast.Call("exists", (ast.Path(ast.Variable(name), (_self(branch.test),)),))
        inside = replaced(
            _listed(_items(branch.body)),
            lambda expr, branch=branch: _counted(name, branch) if expr == place(branch.variable) else None,
        )
        body = ast.Flwor((ast.Let(branch.variable, ast.Variable(name)),), inside)
        result = ast.If(test, body, result)
    every = ast.Step("child", ast.KindTest("node"))
    return ast.Flwor((ast.For(name, ast.Path(ast.Variable(loop.source), (every,))),), result)


def _counted(node: str, branch: flux.Branch) -> ast.Expr:
    """The position of a node among those that pass the test of the same branch."""
    before = dataclasses.replace(_self(branch.test), axis="preceding-sibling")
    count = ast.Call("count", (ast.Path(ast.Variable(node), (before,)),))
    return ast.Arithmetic("+", count, ast.Integer(1))


def _numbered(body: ast.Expr, variable: str) -> tuple[ast.Expr, str | None]:
    """The body with a variable for the position of the loop's variable, where it is used."""
    at = f"{variable}-place"
    numbered = replaced(body, lambda expr: ast.Variable(at) if expr == place(variable) else None)
    return (body, None) if numbered == body else (numbered, at)


def _self(test: flux.Test) -> ast.Step:
    return ast.Step("self", ast.KindTest("text") if test.name == TEXT else ast.NameTest(test.name))
