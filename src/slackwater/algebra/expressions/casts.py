"""Which types CAST may turn into which."""

from __future__ import annotations

from slackwater.algebra.types import NULL, STRING, UNKNOWN, Type, common

_SPELLED = ("date", "timestamp", "timestamp_ntz", "binary")
"""Types besides numbers and booleans that a text may spell."""


def castable(source: Type, target: Type) -> bool:
    """Whether CAST may turn some values of one type into the other."""
    if source in (target, NULL) or UNKNOWN in (source, target):
        return True
    if source.name == target.name and source.name in ("array", "struct"):
        return _castable_inside(source, target)
    if source.name == target.name == "map":
        key, wider = inner_types(source)[0], inner_types(target)[0]
        # Keys stay different, and in their order.
        return common(key, wider) == wider and _castable_inside(source, target)
    if source.is_numeric or source.name in ("boolean", "string"):
        plain = target.is_numeric or target.name in ("boolean", "string")
        return plain or (source == STRING and target.name in _SPELLED)
    if source.is_time:
        return target.is_time or target == STRING
    return source.name == "binary" and target == STRING


def inner_types(type_: Type) -> tuple[Type, ...]:
    """What an array, struct or map holds."""
    return tuple(a if isinstance(a, Type) else a[1] for a in type_.arguments if not isinstance(a, int))


def _castable_inside(source: Type, target: Type) -> bool:
    one, other = inner_types(source), inner_types(target)
    return len(one) == len(other) and all(castable(a, b) for a, b in zip(one, other, strict=True))
