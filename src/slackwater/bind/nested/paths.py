"""Paths of names: a column, and fields in it.

t.s.a     the field a of the column s of t; or, where no source is called t, the field a in s in the column t
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra.expressions import Call, Expression, Literal
from slackwater.algebra.types import NULL, STRING, UNKNOWN, Type, array, element_of, fields_of
from slackwater.base.diagnostic import did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.nested import problems

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

_PARTS = ("catalog", "db", "table", "this")
"""The parts of a name with dots, as sqlglot calls them."""


def names_in(node: exp.Column) -> list[str]:
    """The names between the dots."""
    return [node.text(part) for part in _PARTS if node.args.get(part) is not None]


def column_of_names(names: Sequence[str]) -> exp.Column:
    """The node of these names with dots between them, of which there are at most four."""
    quoted_names = (exp.to_identifier(name, quoted=True) for name in reversed(names))
    return exp.Column(**dict(zip(reversed(_PARTS), quoted_names, strict=False)))


def resolved(node: exp.Column, binder: Expressions, span: Span) -> Expression | None:
    """The column or field that a name means; None where it means none, and UNKNOWN after an error."""
    names = names_in(node)
    if (variable := binder.variables.get(names[0].lower())) is not None:
        return _inside(replace(variable, origin=span), names[1:], binder, span)
    wrong: tuple[Expression, str] | None = None
    for depth, around in enumerate([binder, *binder.outer]):
        for alias, name, path in _readings(names):
            matches = around.scope.find(name, alias)
            if len(matches) > 1:
                binder.binding.report(errors.ambiguous_column(name, [source for source, _ in matches], span))
                return Literal(UNKNOWN, None, origin=span)
            if matches and path and not _has_fields(matches[0][1].type):
                wrong = wrong or (matches[0][1], path[0])
            elif matches:
                return _visible(matches[0][1], name, path, around, span, is_outer=depth > 0)
        if not around.scope.is_known and (len(names) == 1 or around.scope.table(names[0])):
            return Literal(UNKNOWN, None, origin=span)
    is_source = any(around.scope.table(names[0]) for around in (binder, *binder.outer))
    return None if wrong is None or (is_source and len(names) == 2) else field_of(*wrong, binder, span)


def _has_fields(type_: Type) -> bool:
    inner = element_of(type_) if type_.name == "array" else type_
    return inner.name in ("struct", "map") or type_ in (UNKNOWN, NULL)


def _readings(names: Sequence[str]) -> Iterator[tuple[str | None, str, Sequence[str]]]:
    """The source, the column and the fields in it that names may be, those of a source first."""
    if len(names) > 1:
        yield names[0], names[1], names[2:]
    yield None, names[0], names[1:]


def _visible(
    value: Expression, name: str, path: Sequence[str], around: Expressions, span: Span, *, is_outer: bool
) -> Expression:
    """The field in a column; in a grouped query, in the key that is the longest part of the path."""
    if around.grouping is not None and path:
        prefixes = [value]
        for part in path:
            prefixes.append(field_of(prefixes[-1], part, around, span))
        if prefixes[-1].type is UNKNOWN:
            return prefixes[-1]
        for depth in range(len(path), 0, -1):
            key = around.grouping.key(prefixes[depth])
            if key is not None:
                shown = around.visible(prefixes[depth], name, span, is_outer=is_outer)
                return _inside(shown, path[depth:], around, span)
    return _inside(around.visible(value, name, span, is_outer=is_outer), path, around, span)


def _inside(value: Expression, path: Sequence[str], binder: Expressions, span: Span) -> Expression:
    for part in path:
        value = field_of(value, part, binder, span)
    return value


def field_of(value: Expression, name: str, binder: Expressions, span: Span) -> Expression:
    """The field of a struct, or that of every struct in an array, or the value of a key of a map."""
    if value.type in (UNKNOWN, NULL):
        return value
    if value.type.name == "map":
        return binder.applied("map_value", [value, Literal(STRING, name, origin=span)], span)
    whole = element_of(value.type) if value.type.name == "array" else value.type
    if whole.name != "struct":
        binder.binding.report(problems.NOT_A_STRUCT.at(span, name=name, type=value.type))
        return Literal(UNKNOWN, None, origin=span)
    field = _field(whole, name)
    if field is None:
        known = [known for known, _ in fields_of(whole)]
        hint = did_you_mean(name, known)
        binder.binding.report(problems.UNKNOWN_FIELD.at(span, name=name, known=quoted(known), hint=hint))
        return Literal(UNKNOWN, None, origin=span)
    type_ = array(field[1]) if value.type.name == "array" else field[1]
    return Call(type_, "field", (value, Literal(STRING, field[0])), origin=span)


def struct_star(node: exp.Expression, binder: Expressions, span: Span) -> list[tuple[str, Expression]] | None:
    """The fields of a struct, s.*; None where the star is that of a source or of the query."""
    names = names_in(node)[:-1] if isinstance(node, exp.Column) else []
    if not names or (len(names) == 1 and binder.scope.table(names[0])):
        return None
    value = resolved(column_of_names(names), binder, span)
    if value is None or value.type.name != "struct":
        return None
    return [(name, field_of(value, name, binder, span)) for name, _ in fields_of(value.type)]


def _field(type_: Type, name: str) -> tuple[str, Type] | None:
    """The field of that name: the one with the same letters, or the first that differs in case only."""
    alike = [field for field in fields_of(type_) if field[0].lower() == name.lower()]
    return next((field for field in alike if field[0] == name), alike[0] if alike else None)
