"""The functions of XQuery that a query may call: one record each, from which everything else is derived.

The check of a query reads the numbers of arguments here, the rewriting which nodes a buffer must keep and
what is computed while a stream is read, docs/xquery.md its table. The implementation of each record is in
flux/values/functions.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

_T = TypeVar("_T")


class Use(Enum):
    """What a function reads of the nodes of an argument."""

    COUNT = auto()
    """How many there are, or whether there is one."""
    NAME = auto()
    VALUE = auto()
    """Their string values: the argument is atomized."""
    CONTENT = auto()
    """Everything inside them."""
    DOCUMENT = auto()
    """The whole documents that they are in."""
    PASS = auto()
    """Nothing by itself: the function returns them."""


class Focus(Enum):
    """What a function without arguments reads of the focus."""

    NOTHING = auto()
    ITEM = auto()
    PLACE = auto()


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its parameters, the type of its result, its meaning in a few words.

    `accumulates`: with one argument, a constant amount of memory is enough for any number of items, which
    may come one by one.
    """

    name: str
    parameters: tuple[tuple[str, Use], ...]
    result: str
    meaning: str
    optional: int = 0
    variadic: bool = False
    accumulates: bool = False
    focus: Focus = Focus.NOTHING

    @property
    def least(self) -> int:
        """The least number of arguments."""
        return len(self.parameters) - self.optional

    @property
    def most(self) -> int | None:
        """The greatest number of arguments; None where any number is allowed."""
        return None if self.variadic else len(self.parameters)

    @property
    def is_boolean(self) -> bool:
        """It returns one boolean, whatever its arguments."""
        return self.result == "xs:boolean"

    @property
    def gives_values(self) -> bool:
        """It returns no nodes."""
        return not self.result.rstrip("?*+").endswith(")")

    @property
    def counts(self) -> bool:
        """It accumulates, and reads none of the items."""
        return self.accumulates and self.uses(1) == (Use.COUNT,)

    def uses(self, size: int) -> tuple[Use, ...]:
        """The use of each of `size` arguments; a variadic function uses further ones like the last."""
        known = tuple(use for _, use in self.parameters[:size])
        return known + known[-1:] * (size - len(known))

    def passed(self, arguments: Sequence[_T]) -> list[_T]:
        """The arguments whose items it returns."""
        uses = self.uses(len(arguments))
        return [argument for use, argument in zip(uses, arguments, strict=True) if use is Use.PASS]


def _function(
    name: str,
    result: str,
    meaning: str,
    *,
    optional: int = 0,
    variadic: bool = False,
    accumulates: bool = False,
    focus: Focus = Focus.NOTHING,
    **parameters: Use,
) -> Function:
    return Function(name, tuple(parameters.items()), result, meaning, optional, variadic, accumulates, focus)


def _of_item(name: str, result: str, meaning: str, use: Use) -> Function:
    """A function of one item, by default the context item."""
    return Function(name, (("item", use),), result, meaning, optional=1, focus=Focus.ITEM)


_VALUE, _PASS, _COUNT = Use.VALUE, Use.PASS, Use.COUNT

_AGGREGATES = (  # thesis 3.8.1
    _function("count", "xs:integer", "the number of items", accumulates=True, items=_COUNT),
    _function(
        "sum", "xs:anyAtomicType?", "their sum; of no items `zero`, or 0",
        optional=1, accumulates=True, items=_VALUE, zero=_VALUE,
    ),
    _function("avg", "xs:numeric?", "their mean", accumulates=True, items=_VALUE),
    _function("min", "xs:anyAtomicType?", "the least of them", accumulates=True, items=_VALUE),
    _function("max", "xs:anyAtomicType?", "the greatest of them", accumulates=True, items=_VALUE),
    _function("empty", "xs:boolean", "whether there is no item", accumulates=True, items=_COUNT),
    _function("exists", "xs:boolean", "whether there is an item", accumulates=True, items=_COUNT),
)  # fmt: skip
_SEQUENCES = (
    _function("distinct-values", "xs:anyAtomicType*", "the distinct values", items=_VALUE),
    _function("zero-or-one", "item()?", "the items, an error if there are several", items=_PASS),
    _function("exactly-one", "item()", "the item, an error if there is none or several", items=_PASS),
    _function("one-or-more", "item()+", "the items, an error if there is none", items=_PASS),
    _function(
        "subsequence", "item()*", "the items from position `start` on, `length` of them or all",
        optional=1, items=_PASS, start=_VALUE, length=_VALUE,
    ),
    _function("reverse", "item()*", "the items in reverse order", items=_PASS),
    _function(
        "insert-before", "item()*", "the items with others before the one at `place`",
        items=_PASS, place=_VALUE, inserted=_PASS,
    ),
    _function("remove", "item()*", "the items without the one at `place`", items=_PASS, place=_VALUE),
    _function("index-of", "xs:integer*", "the positions of equal items", items=_VALUE, value=_VALUE),
    _function(
        "deep-equal", "xs:boolean", "whether both have the same items; nodes are compared with their content",
        left=Use.CONTENT, right=Use.CONTENT,
    ),
    _function("head", "item()?", "the first item", items=_PASS),
    _function("tail", "item()*", "the items except the first", items=_PASS),
    _function("unordered", "item()*", "the items", items=_PASS),
    _of_item("data", "xs:anyAtomicType*", "the values of the items", _VALUE),
)  # fmt: skip
_TRUTH = (
    _function("not", "xs:boolean", "whether they count as false", items=_COUNT),
    _function("boolean", "xs:boolean", "whether they count as true", items=_COUNT),
    _function("true", "xs:boolean", "true"),
    _function("false", "xs:boolean", "false"),
)
_NUMBERS = (
    _of_item("number", "xs:double", "its value as a number, NaN if it is not one", _VALUE),
    _function("abs", "xs:numeric?", "the absolute value", number=_VALUE),
    _function("round", "xs:numeric?", "the nearest whole number, a half upward", number=_VALUE),
    _function("floor", "xs:numeric?", "the greatest whole number that is not greater", number=_VALUE),
    _function("ceiling", "xs:numeric?", "the least whole number that is not less", number=_VALUE),
    _function(
        "round-half-to-even", "xs:numeric?", "rounded to `digits` digits, or to a whole number",
        optional=1, number=_VALUE, digits=_VALUE,
    ),
)  # fmt: skip
_TEXTS = (
    _of_item("string", "xs:string", "its text", _VALUE),
    _function(
        "concat", "xs:string", "the concatenation of the strings", variadic=True, first=_VALUE, second=_VALUE
    ),
    _function("contains", "xs:boolean", "whether the part is in the text", text=_VALUE, part=_VALUE),
    _function("starts-with", "xs:boolean", "whether the text begins with it", text=_VALUE, part=_VALUE),
    _function("ends-with", "xs:boolean", "whether the text ends with it", text=_VALUE, part=_VALUE),
    _of_item("string-length", "xs:integer", "how many characters its text has", _VALUE),
    _function(
        "substring", "xs:string", "the characters from the place `start` on, `length` of them or all",
        optional=1, text=_VALUE, start=_VALUE, length=_VALUE,
    ),
    _function("substring-before", "xs:string", "the text before the part", text=_VALUE, part=_VALUE),
    _function("substring-after", "xs:string", "the text after the part", text=_VALUE, part=_VALUE),
    _function(
        "string-join", "xs:string", "the texts, `between` between any two",
        optional=1, items=_VALUE, between=_VALUE,
    ),
    _of_item("normalize-space", "xs:string", "its text, trimmed, with single spaces", _VALUE),
    _function("upper-case", "xs:string", "the text in upper case", text=_VALUE),
    _function("lower-case", "xs:string", "the text in lower case", text=_VALUE),
    _function(
        "translate", "xs:string", "the text, each character of `old` replaced by that of `new` at its place",
        text=_VALUE, old=_VALUE, new=_VALUE,
    ),
    _function("codepoints-to-string", "xs:string", "the text of these characters", codes=_VALUE),
    _function("string-to-codepoints", "xs:integer*", "the numbers of its characters", text=_VALUE),
)  # fmt: skip
_NODES = (
    _of_item("name", "xs:string", "the name of the node as it is written", Use.NAME),
    _of_item("local-name", "xs:string", "its name without the prefix", Use.NAME),
    _of_item("namespace-uri", "xs:string", "the namespace of its name", Use.NAME),
    _of_item("root", "node()?", "the root of the tree that the node is in", Use.DOCUMENT),
    _function("position", "xs:integer", "the place of the context item", focus=Focus.PLACE),
    _function("last", "xs:integer", "how many items the context has", focus=Focus.PLACE),
    _function(
        "error", "none", "ends the query with an error",
        optional=3, code=_VALUE, description=_VALUE, items=_VALUE,
    ),
)  # fmt: skip

_SKY = (
    _function(
        "angular-distance", "xs:double?", "the angle in degrees between two positions in the sky",
        ra=_VALUE, dec=_VALUE, other_ra=_VALUE, other_dec=_VALUE,
    ),
    _function(
        "cone-search", "xs:boolean", "whether a position is at most `radius` degrees from the centre",
        ra=_VALUE, dec=_VALUE, centre_ra=_VALUE, centre_dec=_VALUE, radius=_VALUE,
    ),
    _function("celestial-x", "xs:double?", "x of the direction, as a unit vector", ra=_VALUE, dec=_VALUE),
    _function("celestial-y", "xs:double?", "y of the direction", ra=_VALUE, dec=_VALUE),
    _function("celestial-z", "xs:double?", "z of the direction", ra=_VALUE, dec=_VALUE),
)  # fmt: skip

_MOBILE = (
    _function(
        "call-module", "xs:anyAtomicType?", "the value of a function of a WebAssembly module",
        optional=1, variadic=True, function=_VALUE, argument=_VALUE,
    ),
)  # fmt: skip

SECTIONS: dict[str, tuple[Function, ...]] = {
    "Aggregates": _AGGREGATES,
    "Sequences": _SEQUENCES,
    "Truth": _TRUTH,
    "Numbers": _NUMBERS,
    "Texts": _TEXTS,
    "Nodes, the focus, errors": _NODES,
    "Positions in the sky, in degrees (not in XQuery's standard)": _SKY,
    "Mobile code, in networks of peers (not in XQuery's standard)": _MOBILE,
}
FUNCTIONS: dict[str, Function] = {
    function.name: function for section in SECTIONS.values() for function in section
}

BOOLEAN = frozenset(function.name for function in FUNCTIONS.values() if function.is_boolean)
PASSING = frozenset(function.name for function in FUNCTIONS.values() if function.passed(function.parameters))
"""Functions that return items of their arguments."""
ACCUMULATING = frozenset(function.name for function in FUNCTIONS.values() if function.accumulates)
COUNTING = frozenset(function.name for function in FUNCTIONS.values() if function.counts)
OF_CONTEXT = frozenset(function.name for function in FUNCTIONS.values() if function.focus is Focus.ITEM)
"""Functions whose argument is by default the context item."""
OF_PLACE = frozenset(function.name for function in FUNCTIONS.values() if function.focus is Focus.PLACE)

TYPES = (
    "xs:string", "xs:boolean", "xs:decimal", "xs:integer", "xs:double", "xs:untypedAtomic",
    "xs:int", "xs:long", "xs:short", "xs:byte", "xs:nonNegativeInteger",
    "xs:positiveInteger", "xs:unsignedInt", "xs:unsignedLong", "xs:numeric", "xs:anyAtomicType",
)  # fmt: skip
CASTS = tuple(name for name in TYPES if name not in ("xs:numeric", "xs:anyAtomicType"))
"""Types that a value can be cast to; each is also a function of one argument."""

KINDS = (
    "item", "node", "element", "attribute", "text", "comment", "processing-instruction", "document-node",
    "empty-sequence",
)  # fmt: skip
"""Types of items that are not values, each with parentheses."""

INPUTS = {"stream": "stream", "doc": "doc", "document": "doc"}
PREFIXES = {
    "fn": "http://www.w3.org/2005/xpath-functions",
    "xs": "http://www.w3.org/2001/XMLSchema",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "local": "http://www.w3.org/2005/xquery-local-functions",
    "udf": "urn:slackwater:udf",
}
"""Prefixes that need no declaration; `udf` marks a user's own functions (thesis 3.8.1.1)."""
