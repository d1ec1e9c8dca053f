"""Prints FluX in the notation of the thesis (section 3.4.2): braces around expressions, tags as they are."""

from __future__ import annotations

from textwrap import indent

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.syntax import EVERYTHING, Handler, ProcessStream, Query
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.printer import print_query as expression

_WIDE = 100


def print_flux(body: ProcessStream) -> str:
    """The text of a FluX query."""
    return _joined(_scope(body))


def query(body: Query) -> str:
    """The text of a query in normal form."""
    return _joined(_lines(body))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines)


def _scope(body: ProcessStream) -> list[str]:
    if body.simple:
        return [line for handler in body.handlers for line in _simple(handler, body.variable)]
    lines = [f"{{ ps ${body.variable}:"]
    for handler in body.handlers:
        lines += _indented(_handler(handler, body.variable))
    return [*lines[:-1], f"{lines[-1]} }}"]


def _simple(handler: Handler, variable: str) -> list[str]:
    match handler:
        case flux.CopyThrough(None):
            return [f"{{${variable}}}"]
        case flux.CopyThrough(condition) if condition is not None:
            return [f"{{ if ({_expr(condition)}) then {{${variable}}} }}"]
        case flux.OnFirst(_, body):
            return _lines(body)
    raise TypeError(f"not part of a simple expression: {handler!r}")


def _handler(handler: Handler, variable: str) -> list[str]:
    match handler:
        case flux.On(name, child, body):
            return _returning(f"on {flux.Test(name)} as ${child}", _scope(body))
        case flux.OnFirst(past, body):
            return _returning(f"on-first past({_names(past)})", _lines(body))
        case flux.CopyThrough():
            return _returning("on-through", _simple(handler, variable))
        case flux.OnWindow(child, path, window, before, after, copied):
            copy = [f"{{${child}}}"] if copied else []
            lines = [*_lines(before), *copy, *_lines(after)]
            return _returning(
                f"on-window ${variable}/{_path(path, handler)}{_window(window)} as ${child}", lines
            )
        case flux.OnEach(child, path, window, body):
            head = f"on-each past ${variable}/{_path(path, handler)}{_window(window)} as ${child}"
            return _returning(head, _lines(body))
    raise TypeError(f"no handler of FluX: {handler!r}")


def _returning(head: str, lines: list[str]) -> list[str]:
    if len(lines) == 1 and len(head) + len(lines[0]) < _WIDE:
        return [f"{head} return {lines[0]};"]
    return [f"{head} return", *_indented([*lines[:-1], f"{lines[-1]};"])] if lines else [f"{head} return ;"]


def _names(past: flux.Past) -> str:
    return "*" if past == EVERYTHING else ", ".join(str(flux.Test(name)) for name in sorted(past))


def _lines(body: Query) -> list[str]:
    match body:
        case flux.Sequence(parts):
            return [line for part in parts for line in _lines(part)]
        case flux.Text(text):
            return [text.replace("\n", "&#xA;")]
        case flux.StartTag(name, attributes):
            tag = expression(ast.Element(name, attributes))
            return [f"{tag.removesuffix('/>')}>"]
        case flux.EndTag(name):
            return [f"</{name}>"]
        case flux.Boundary():
            return []
        case flux.Copy(variable):
            return [f"{{${variable}}}"]
        case flux.Value(expr):
            return _braced(_expr(expr).split("\n"), tight=True)
        case flux.Feed(fold, value):
            argument = "" if value is None else _expr(value)
            return [f"{{ feed {_expr(fold)} with ({argument}) }}".replace(" with ()", "")]
        case flux.If(condition, inner):
            return _braced(_headed(f"if ({_expr(condition)}) then", _lines(inner)))
        case flux.Loop():
            return _loop(body)
        case flux.For(variable, source, inner, at):
            head, text = f"for ${variable}{f' at ${at}' if at else ''} in", _expr(source)
            if "\n" in text:
                long = [f"{head} (", *_indented(text.split("\n")), ") return"]
                return _braced([*long, *_indented(_lines(inner))])
            return _braced(_headed(f"{head} {text} return", _lines(inner)))
        case flux.Windowed(variable, source, path, window, inner):
            head = f"for ${variable} in ${source}/{_path(path, body)}{_window(window)} return"
            return _braced(_headed(head, _lines(inner)))
    raise TypeError(f"no query of FluX: {body!r}")


def _loop(loop: flux.Loop) -> list[str]:
    if len(loop.branches) == 1:
        (branch,) = loop.branches
        head = f"for ${branch.variable} in ${loop.source}/{branch.test} return"
        return _braced(_headed(head, _lines(branch.body)))
    lines = [f"for ${loop.source}/({' | '.join(map(str, loop.tests))}):"]
    for branch in loop.branches:
        lines += _indented(_returning(f"{branch.test} as ${branch.variable}", _lines(branch.body)))
    return _braced(lines)


def _path(path: tuple[flux.Test, ...], where: flux.OnWindow | flux.OnEach | flux.Windowed) -> str:
    steps = "/".join(map(str, path))
    return f"{steps}[{_expr(where.where)}]" if where.where is not None else steps


def _window(window: ast.Window) -> str:
    text = expression(ast.Flwor((ast.For("w", ast.ContextItem(), window=window),), ast.ContextItem()))
    return text[text.index("|") : text.rindex("|") + 1]


def _headed(head: str, lines: list[str]) -> list[str]:
    if len(lines) == 1 and len(head) + len(lines[0]) < _WIDE:
        return [f"{head} {lines[0]}"]
    return [head, *_indented(lines)]


def _braced(lines: list[str], *, tight: bool = False) -> list[str]:
    space = "" if tight and len(lines) == 1 else " "
    return (
        [f"{{{space}{lines[0]}", *lines[1:-1], f"{lines[-1]}{space}}}"]
        if len(lines) > 1
        else [f"{{{space}{lines[0]}{space}}}"]
    )


def _indented(lines: list[str]) -> list[str]:
    return indent("\n".join(lines), "  ").split("\n") if lines else []


def _expr(expr: ast.Expr) -> str:
    return expression(expr)
