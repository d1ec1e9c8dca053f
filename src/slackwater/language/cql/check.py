"""Checks for what sqlglot's grammar accepts and CQL's does not."""

from __future__ import annotations

from sqlglot import exp

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Text
from slackwater.language.cql import errors
from slackwater.language.cql.foreign import FOREIGN, hint_for_statement
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
_IN_FROM = (exp.From, exp.Join, exp.Subquery)
_UNSUPPORTED: dict[type[exp.Expr], dict[str, str]] = {
    exp.Table: {"version": "FOR SYSTEM_TIME", "pivots": "PIVOT", "sample": "TABLESAMPLE",
                "laterals": "LATERAL", "hints": "a hint", "ordinality": "WITH ORDINALITY", "only": "ONLY",
                "partition": "PARTITION", "when": "AT", "changes": "CHANGES"},
    exp.Select: {"laterals": "LATERAL", "into": "INTO",
                 "cluster": "CLUSTER BY", "distribute": "DISTRIBUTE BY", "sort": "SORT BY", "hint": "a hint",
                 "match": "MATCH_RECOGNIZE", "sample": "TABLESAMPLE", "pivots": "PIVOT",
                 "prewhere": "PREWHERE", "connect": "CONNECT BY", "kind": "SELECT AS"},
    exp.Ordered: {"with_fill": "WITH FILL"},
    exp.Order: {"siblings": "SIBLINGS"},
    exp.Group: {"rollup": "ROLLUP", "cube": "CUBE", "grouping_sets": "GROUPING SETS", "all": "ALL",
                "totals": "WITH TOTALS"},
}  # fmt: skip
"""Clauses that sqlglot parses and CQL does not have."""


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
        case exp.SetOperation():
            return _misuse_of_operands(node, text)
        case exp.Table() | exp.Subquery() | Windowed() | WindowTable() | RelationOf() | Synchronized() if (
            node.args.get("joins")
        ):
            if not isinstance(node.parent, _IN_FROM):
                return errors.misplaced(span_of(node.args["joins"][0], text), "a join")
    for key, clause in _UNSUPPORTED.get(type(node), {}).items():
        if node.args.get(key) and not _is_system_time(node.args[key]):
            place = node.args[key]
            span = span_of(place if isinstance(place, exp.Expr) else node, text)
            return errors.not_ours(span, FOREIGN, hint_for_statement(clause) or f"Remove {clause}.")
    for key, value in node.args.items():
        if value and key not in node.arg_types:
            place = value if isinstance(value, exp.Expr) else node
            return errors.misplaced(span_of(place, text), f"{key.rstrip('_').upper()}")
    return None


def _misuse_of_operands(node: exp.SetOperation, text: Text) -> Diagnostic | None:
    for operand in (node.this, node.expression):
        if not isinstance(operand, QUERIES) or (isinstance(operand, Windowed) and not _is_query(operand)):
            return errors.unexpected(span_of(operand, text), "a query")
    for key in ("side", "kind", "by_name", "on"):
        if node.args.get(key):
            return errors.misplaced(span_of(node, text), _word(key, node.args[key]))
    return None


def _is_system_time(value: object) -> bool:
    return isinstance(value, exp.Version) and value.name == SYSTEM_TIME


def _word(key: str, value: object) -> str:
    return value.upper() if isinstance(value, str) else key.replace("_", " ").upper()


def _is_query(windowed: Windowed) -> bool:
    return isinstance(windowed.this, exp.Subquery)
