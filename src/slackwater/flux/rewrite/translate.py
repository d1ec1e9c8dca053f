"""From a module and a schema to a FluX query: normal form, simplification, rewriting, state."""

from __future__ import annotations

from slackwater.flux.plan.syntax import Flux
from slackwater.flux.rewrite.buffers import accumulators, buffers
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.folds import with_folds
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.lift import lifted
from slackwater.flux.rewrite.normal import Normal, normal
from slackwater.flux.rewrite.simplify import simplified
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, Schema


def flux_of(module: ast.Module, schema: Schema = NO_SCHEMA) -> Flux:
    """The FluX query of a module for documents of a schema, with small buffers."""
    query = normal(module, schema)
    facts = Facts.of(query)
    return flux_of_normal(query, facts)


def flux_of_normal(query: Normal, facts: Facts) -> Flux:
    """The FluX query of a normal form."""
    body = lifted(rewritten(simplified(query.body, facts), facts), facts.depends)
    body, folds = with_folds(body, query, facts)
    known = frozenset[ast.Expr](fold.expr for fold in folds)
    computed = accumulators(body, facts, known)
    projections = buffers(body, facts, known | {accumulator.expr for accumulator in computed})
    return Flux(
        body,
        projections,
        computed,
        folds,
        tuple(facts.lets.values()),
        query.prepared.input,
        query.prepared.inputs,
        query.prepared.declarations,
        query.schema,
        query.upward,
    )
