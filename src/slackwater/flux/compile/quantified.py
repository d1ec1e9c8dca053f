"""`some` and `every` as functions."""

from __future__ import annotations

from dataclasses import replace

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Run, StaticContext, Test
from slackwater.flux.plan.terms import free
from slackwater.flux.values import types as value_types
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast


def quantified(expr: ast.Quantified, static: StaticContext) -> Test:
    is_some = expr.kind == "some"
    scope = static.scope
    sources: list[tuple[Run, int]] = []
    for binding in expr.bindings:
        source = _all_typed(compiler.items(binding.source, static), binding.type, static)
        sources.append((source, scope.bind(binding.variable, "item", free(binding.source))))
    holds = compiler.test(expr.condition, static)
    for source, slot in reversed(sources):
        holds = _loop(source, slot, holds, scope.env, is_some=is_some)
    return holds


def _all_typed(source: Run, type_: ast.SequenceType | None, static: StaticContext) -> Run:
    """The items, each of which must be of the type."""
    if type_ is None:
        return source
    many, context = replace(type_, occurrence="*"), static.context

    def run() -> Items:
        try:
            return value_types.checked(source(), many, context)
        except Wrong as wrong:
            raise wrong.at(type_.span) from None

    return run


def _loop(source: Run, slot: int, inner: Test, env: list[object], *, is_some: bool) -> Test:
    """`some` ends at the first item for which the condition is true, `every` where it is false."""

    def run() -> bool:
        for item in source():
            env[slot] = item
            if inner() is is_some:
                return is_some
        return not is_some

    return run
