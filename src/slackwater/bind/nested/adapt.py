"""Arguments of functions over arrays: which function is meant, and casts between elements and values."""

from __future__ import annotations

from slackwater.algebra.expressions import Expression
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.types import BOOLEAN, STRING, UNKNOWN, Type, is_comparable
from slackwater.base.span import Span
from slackwater.bind.binding import Binding
from slackwater.bind.coercion import coerced
from slackwater.bind.nested import problems

_OVERLOADED = {
    "array": {"concat": "array_concat", "reverse": "array_reverse"},
    "map": {"get": "map_value", "element_at": "map_value"},
}
"""Functions that have other names in the algebra where an argument is an array or map."""
_COMPARING = frozenset(
    (
        *(
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "is_not_distinct_from",
            "nullif",
            "greatest",
            "least",
            "in_list",
        ),
        *(
            "array_contains",
            "array_position",
            "array_remove",
            "array_distinct",
            "array_union",
            "array_except",
        ),
        *("array_intersect", "arrays_overlap", "array_min", "array_max", "array_sort", "sort_array"),
    )
)
"""Functions that compare their arguments, or elements of them."""


def overloaded(name: str, arguments: list[Expression]) -> str:
    """The function that a name means for these arguments."""
    for argument in arguments:
        name = _OVERLOADED.get(argument.type.name, {}).get(name, name)
    return name


def compared(name: str, arguments: list[Expression], span: Span, binding: Binding) -> bool:
    """Whether values can be compared, if the function compares them; if not, that is reported."""
    wrong = [argument.type for argument in arguments if not is_comparable(argument.type)]
    if name not in _COMPARING or not wrong:
        return True
    binding.report(problems.NOT_COMPARABLE.at(span, type=wrong[0]))
    return False


def check_key(type_: Type, span: Span, binding: Binding) -> None:
    """Report a key of groups, of an order or of distinct rows that cannot be compared."""
    if not is_comparable(type_):
        binding.report(problems.NOT_COMPARABLE.at(span, type=type_))


def _is_plain(type_: Type) -> bool:
    """Whether its values are written into a text as CAST writes them."""
    return type_.is_numeric or type_.is_time or type_ == BOOLEAN


def adapted(name: str, arguments: list[Expression]) -> list[Expression]:
    """The arguments cast to the types that the function needs of them together."""
    if name == "concat":
        return [coerced(argument, STRING) if _is_plain(argument.type) else argument for argument in arguments]
    adapts, types = FUNCTIONS[name].adapts, [argument.type for argument in arguments]
    targets = None if adapts is None or UNKNOWN in types or not types else adapts(types)
    if targets is None:
        return arguments
    return [coerced(argument, target) for argument, target in zip(arguments, targets, strict=True)]
