"""Arguments that have to be constants: units, regular expressions, formats and time zones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from slackwater.algebra.expressions import Expression, Literal, number_formats, printf, regexes, time_formats
from slackwater.algebra.expressions.functions import FUNCTIONS, UNITS, Family
from slackwater.algebra.expressions.signatures import CONSTANT
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.expressions.zones import zone
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.bind import errors

_MANY = frozenset(("regexp_extract_all", "regexp_replace", "regexp_count", "split"))
"""Functions of every match: engines differ where one is empty."""
_READ = frozenset(("to_timestamp", "to_timestamp_ntz", "to_date"))


def wrong_constants(name: str, arguments: Sequence[Expression], span: Span) -> Iterator[Diagnostic]:
    """What is wrong with the constants of a call."""
    for place, (family, argument) in enumerate(zip(FUNCTIONS[name].parameters, arguments, strict=False)):
        if family is Family.UNIT:
            unit = argument.value if isinstance(argument, Literal) else text_of(argument)
            if unit is not None and str(unit).lower() not in UNITS:
                yield errors.unknown_unit(str(unit), UNITS, span)
        elif family in CONSTANT:
            why = _why(name, place, arguments)
            if why is not None:
                shown = argument.value if isinstance(argument, Literal) else text_of(argument)
                yield errors.bad_literal(str(shown), why, argument.origin or span)


def _why(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    argument = arguments[place]
    if not isinstance(argument, Literal):
        return f"{name} needs a constant here"
    if argument.value is None:
        return None
    return _CHECKS[FUNCTIONS[name].parameters[place]](name, place, arguments)


def _value(arguments: Sequence[Expression], place: int) -> str | int | None:
    argument = arguments[place] if place < len(arguments) else None
    return argument.value if isinstance(argument, Literal) else None


def _pattern(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    try:
        tree = regexes.parsed(str(_value(arguments, place)))
    except regexes.Refused as refused:
        return f"this regular expression is not supported: {refused}"
    if name in _MANY and regexes.may_be_empty(tree):
        return "this regular expression may match no characters"
    if name in ("regexp_extract_all", "split") and regexes.has_places(tree) and _value(arguments, 2) != 0:
        return f"{name} takes a regular expression without ^, $ and \\b"
    if (
        name in ("regexp_extract", "regexp_extract_all")
        and len(arguments) == 2
        and not regexes.group_count(tree)
    ):
        return "this regular expression has no group; write 0 as the third argument for the whole match"
    return None


def _group(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    number, pattern = _value(arguments, place), _value(arguments, 1)
    try:
        count = regexes.group_count(regexes.parsed(str(pattern)))
    except regexes.Refused:
        return None
    is_one = isinstance(number, int) and 0 <= number <= count
    return None if is_one or pattern is None else "the regular expression has no group of this number"


def _replacement(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    new = str(_value(arguments, place))
    signs = [sign[1] for sign in re.finditer(r"(\\.|\$\d|\\|\$|.)", new, re.DOTALL)]
    if "\\" in signs or "$" in signs:
        return 'write a number after "$", and a backslash before a sign that is not special'
    numbers = [int(sign[1:]) for sign in signs if sign[0] == "$"]
    return next((why for n in numbers if (why := _group(name, place, _with_number(arguments, n)))), None)


def _with_number(arguments: Sequence[Expression], number: int) -> list[Expression]:
    return [*arguments[:2], Literal(arguments[0].type, number)]


def _format(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    text = str(_value(arguments, place))
    try:
        time_formats.parts(text)
        if name in _READ or (name == "to_unix_timestamp" and not arguments[0].type.is_time):
            time_formats.check_parsed(text)
    except time_formats.Refused as refused:
        return f"this format is not supported: {refused}"
    return None


def _zone(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    return None if zone(str(_value(arguments, place))) else "there is no such time zone"


def _printf(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    try:
        printf.check(str(_value(arguments, place)), [argument.type for argument in arguments[place + 1 :]])
    except printf.Refused as refused:
        return f"this format is not supported: {refused}"
    return None


def _digits(name: str, place: int, arguments: Sequence[Expression]) -> str | None:
    is_format = number_formats.number_format(str(_value(arguments, place))) is not None
    return None if is_format else "a format of numbers is [S|MI][$]99,990.99[S|MI|PR], with up to 38 digits"


_CHECKS: dict[Family, Callable[[str, int, Sequence[Expression]], str | None]] = {
    Family.PATTERN: _pattern,
    Family.GROUP: _group,
    Family.REPLACEMENT: _replacement,
    Family.FORMAT: _format,
    Family.ZONE: _zone,
    Family.PRINTF: _printf,
    Family.DIGITS: _digits,
}
