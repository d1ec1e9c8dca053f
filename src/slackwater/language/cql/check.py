"""Checks for what sqlglot's grammar accepts and CQL's does not."""

from __future__ import annotations

import re

from sqlglot import exp

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.language.cql import errors
from slackwater.language.cql.consumed import CLAUSES, unread
from slackwater.language.cql.foreign import FOREIGN, hint_for_clause
from slackwater.language.cql.nodes import (
    QUERIES,
    STATEMENTS,
    STREAM_OPERATORS,
    SYSTEM_TIME,
    RelationOf,
    Synchronized,
    Windowed,
    WindowTable,
)
from slackwater.language.cql.spans import span_of
from slackwater.language.cql.words import is_name

# Deeper trees would exhaust Python's stack in later stages.
DEEPEST_TREE = 200
_VERSIONS = ("FOR SYSTEM_TIME", "FOR VERSION", "FOR TIMESTAMP", "VERSION", "TIMESTAMP")
_IN_FROM = (exp.From, exp.Join, exp.Subquery)


def misuse(statement: exp.Expr | None, text: Text) -> Diagnostic | None:
    """The first error in the tree."""
    if statement is None or not isinstance(statement, STATEMENTS):
        return errors.unreadable(text.span() if statement is None else span_of(statement, text))
    for node, depth in _with_depth(statement):
        if depth > DEEPEST_TREE:
            return errors.too_deep(span_of(node, text))
        if wrong := _misuse(node, text):
            return wrong
    return None


def _with_depth(root: exp.Expr) -> list[tuple[exp.Expr, int]]:
    nodes = [(root, 0)]
    for node, depth in nodes:
        nodes.extend((child, depth + 1) for child in node.iter_expressions())
    return nodes


def _misuse(node: exp.Expr, text: Text) -> Diagnostic | None:
    match node:
        case exp.Anonymous() if str(node.name).lower() in STREAM_OPERATORS:
            return errors.operator_in_expression(span_of(node, text), str(node.name))
        case exp.From() | exp.Join() if isinstance(node.this, (exp.Select, exp.SetOperation)):
            return errors.bare_subquery(span_of(node.this, text))
        case exp.Distinct(args={"on": exp.Expr() as on}) if not isinstance(node.parent, exp.Select):
            return errors.misplaced(span_of(on, text), "ON")
        case exp.DataTypeParam(args={"expression": exp.Expr() as unit}):
            return errors.misplaced(span_of(unit, text), "a unit")
        case exp.Identifier() if not node.quoted and not is_name(node.name):
            return errors.not_a_name(span_of(node, text))
        case exp.TableAlias() if not all(isinstance(name, exp.Identifier) for name in node.columns):
            return errors.misplaced(span_of(node, text), "this")
        case exp.Version() if not _is_system_time(node):
            words = _words_near(span_of(node, text), *_VERSIONS)
            return errors.not_ours(words, FOREIGN, hint_for_clause("FOR SYSTEM_TIME"))
        case exp.Group(args={"grouping_sets": [exp.Expr() as sets, *_]}):
            hint = "Write the sets alone: GROUP BY GROUPING SETS (…)."
            return errors.not_ours(_words_near(span_of(sets, text), "GROUPING SETS"), FOREIGN, hint)
        case exp.Group(args={"all": bool() as is_all}) if node.expressions or not is_all:
            word = "ALL" if is_all else "DISTINCT"
            return errors.misplaced(_words_near(span_of(node, text), word), word)
        case exp.SetOperation():
            if wrong := _misuse_of_operands(node, text):
                return wrong
        case exp.Join():
            if wrong := _misuse_of_join(node, text):
                return wrong
        case exp.Table() | exp.Subquery() | Windowed() | WindowTable() | RelationOf() | Synchronized() if (
            node.args.get("joins")
        ):
            if not isinstance(node.parent, _IN_FROM):
                return errors.misplaced(span_of(node.args["joins"][0], text), "a join")
    return _unread(node, text)


def _unread(node: exp.Expr, text: Text) -> Diagnostic | None:
    """The error of the first argument that binding would not read."""
    for key in unread(node):
        value = node.args[key]
        first = value[0] if isinstance(value, list) else value
        place = span_of(first if isinstance(first, exp.Expr) else node, text)
        if key not in CLAUSES:
            return errors.not_ours(place, FOREIGN, None)
        clause, *others = CLAUSES[key].split(" | ")
        if key not in node.arg_types:
            return errors.misplaced(place, clause)
        return errors.not_ours(_words_near(place, clause, *others), FOREIGN, hint_for_clause(clause))
    return None


def _words_near(place: Span, *clauses: str) -> Span:
    """The nearest words in the text that begin one of the clauses; the place itself if there are none."""
    either = "|".join(r"\s+".join(map(re.escape, clause.split())) for clause in clauses)
    places = [match.span() for match in re.finditer(rf"\b({either})\b", place.text.content, re.IGNORECASE)]
    nearest = min(places, key=lambda span: abs(span[0] - place.start), default=None)
    return place if nearest is None else place.text.span(*nearest)


def _misuse_of_join(node: exp.Join, text: Text) -> Diagnostic | None:
    """The error of words of a join that contradict each other."""
    kind, side, method = (str(node.args.get(part) or "").upper() for part in ("kind", "side", "method"))
    condition = node.args.get("on") or next(iter(node.args.get("using") or ()), None)
    if method == "NATURAL" and condition is not None:
        return errors.misplaced(span_of(condition, text), "a condition of a NATURAL JOIN")
    if kind == "OUTER" and not side:
        return errors.bare_outer_join(_words_near(span_of(node.this, text), "OUTER"))
    if (side and kind in ("INNER", "CROSS")) or (kind in ("SEMI", "ANTI") and side in ("RIGHT", "FULL")):
        return errors.misplaced(_words_near(span_of(node.this, text), side), side)
    for name in node.args.get("using") or ():
        if not isinstance(name, exp.Identifier):
            return errors.unexpected(span_of(name, text), "a column")
    return None


def _misuse_of_operands(node: exp.SetOperation, text: Text) -> Diagnostic | None:
    for operand in (node.this, node.expression):
        if not isinstance(operand, QUERIES) or (isinstance(operand, Windowed) and not _is_query(operand)):
            return errors.unexpected(span_of(operand, text), "a query")
    for key in ("side", "kind", "by_name", "on"):
        if node.args.get(key) and not (key == "by_name" and type(node) is exp.Union):
            return errors.misplaced(span_of(node, text), _word(key, node.args[key]))
    return None


def _is_system_time(version: exp.Version) -> bool:
    return bool(version.name == SYSTEM_TIME)


def _word(key: str, value: object) -> str:
    return value.upper() if isinstance(value, str) else key.replace("_", " ").upper()


def _is_query(windowed: Windowed) -> bool:
    return isinstance(windowed.this, exp.Subquery)
