"""The functions of XQuery on texts."""

from __future__ import annotations

import math
from collections.abc import Callable

from slackwater.flux.values.arithmetic import operand, rounded
from slackwater.flux.values.atomic import Item, Items, Untyped, at_most_one, atomized, type_name
from slackwater.flux.values.casts import text_of, to_double
from slackwater.flux.values.context import Context
from slackwater.flux.values.errors import bad_cast, too_many, wrong_type
from slackwater.flux.values.tree import Node
from slackwater.language.xquery.markup import is_character

Function = Callable[..., Items]


def string_of(item: Item) -> str:
    """fn:string of one item."""
    return item.value if isinstance(item, Node) else text_of(item)


def _argument(items: Items) -> str:
    """An argument of type xs:string?; the empty sequence is the empty text."""
    value = at_most_one(items, "a text")
    if value is None:
        return ""
    if not isinstance(value, str | Untyped):
        raise wrong_type(f"a text is needed, not a value of type {type_name(value)}", "Use string( ... ).")
    return text_of(value)


def _needed(items: Items) -> str:
    """An argument of type xs:string."""
    if not items:
        raise wrong_type("a text is missing")
    return _argument(items)


def _string(context: Context, *arguments: Items) -> Items:
    items = arguments[0] if arguments else [context.item()]
    if len(items) > 1:
        raise too_many("string", len(items))
    return [string_of(items[0]) if items else ""]


def _of_context(function: Callable[[str], str | int]) -> Function:
    """A function of one text, by default that of the context item."""

    def applied(context: Context, *arguments: Items) -> Items:
        return [function(_argument(arguments[0]) if arguments else string_of(context.item()))]

    return applied


def _texts(function: Callable[..., str | bool]) -> Function:
    def applied(_context: Context, *arguments: Items) -> Items:
        return [function(*map(_argument, arguments))]

    return applied


def _concat(_context: Context, *arguments: Items) -> Items:
    values = [at_most_one(argument, "concat") for argument in arguments]
    return ["".join(text_of(value) for value in values if value is not None)]


def _substring(_context: Context, items: Items, start: Items, length: Items | None = None) -> Items:
    text = _argument(items)
    return [text[chosen(len(text), start, length)]]


def chosen(size: int, start: Items, length: Items | None) -> slice:
    """The places p of `size` with round(start) <= p < round(start) + round(length)."""
    first = float(rounded(_double(start)))
    last = math.inf if length is None else first + float(rounded(_double(length)))
    if math.isnan(first) or math.isnan(last):
        return slice(0)
    begin = int(min(max(first, 1), size + 1)) - 1
    return slice(begin, max(int(min(max(last, 1), size + 1)) - 1, begin))


def _double(items: Items) -> float:
    value = at_most_one(items, "a number")
    if value is None:
        raise wrong_type("a number is missing")
    return to_double(operand(value))


def _join(_context: Context, items: Items, separator: Items | None = None) -> Items:
    between = "" if separator is None else _needed(separator)
    return [between.join(map(text_of, atomized(items)))]


def _translate(_context: Context, items: Items, before: Items, after: Items) -> Items:
    text, old, new = _argument(items), _needed(before), _needed(after)
    table: dict[str, str] = {}
    for index, char in enumerate(old):
        table.setdefault(char, new[index] if index < len(new) else "")
    return ["".join(table.get(char, char) for char in text)]


def _before(text: str, part: str) -> str:
    return text.partition(part)[0] if part and part in text else ""


def _after(text: str, part: str) -> str:
    return text.partition(part)[2] if part else text


def _from_codepoints(_context: Context, items: Items) -> Items:
    codes = [operand(value) for value in atomized(items)]
    if not all(isinstance(code, int) and is_character(code) for code in codes):
        raise bad_cast(" ".join(map(text_of, codes)), "a character")
    return ["".join(chr(int(code)) for code in codes)]


TEXTS: dict[str, Function] = {
    "string": _string,
    "concat": _concat,
    "contains": _texts(lambda text, part: part in text),
    "starts-with": _texts(lambda text, part: text.startswith(part)),
    "ends-with": _texts(lambda text, part: text.endswith(part)),
    "string-length": _of_context(len),
    "normalize-space": _of_context(lambda text: " ".join(part for part in _split(text) if part)),
    "substring": _substring,
    "substring-before": _texts(_before),
    "substring-after": _texts(_after),
    "string-join": _join,
    "upper-case": _texts(str.upper),
    "lower-case": _texts(str.lower),
    "translate": _translate,
    "codepoints-to-string": _from_codepoints,
    "string-to-codepoints": lambda _context, items: [ord(char) for char in _argument(items)],
}


def _split(text: str) -> list[str]:
    """Split at the white space of XML, which is less than Unicode's."""
    for space in "\t\r\n":
        text = text.replace(space, " ")
    return text.split(" ")
