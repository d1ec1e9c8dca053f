"""JSON in plain Python: a text is parsed to a tree, and a path is followed as Spark follows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from slackwater.algebra.expressions.json_paths import MOST_NESTED, Step, Wild, steps
from slackwater.reference.java_texts import double_text

_TOKEN = re.compile(
    r"""[ \t\n\r]*(?:(?P<sign>[\[\]{},:])
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>-?(?:0|[1-9][0-9]*)(?P<part>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))
    |(?P<word>true|false|null)(?![\w$]))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.?))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", **{sign: sign for sign in "\"'\\/"}}
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class Fields:
    """An object: its fields in order, of which several may have one name."""

    pairs: list[tuple[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written again."""

    text: str


class NotJson(Exception):
    """The text is not JSON."""


class _Reader:
    """Reads one value; objects and arrays that are not closed yet are in a list."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise NotJson
        self._at = match.end()
        return match

    def _name(self, match: re.Match[str]) -> str:
        if match["text"] is None or self._next()["sign"] != ":":
            raise NotJson
        return _unquoted(match["text"])

    def value(self) -> Any:
        open_: list[Fields | list[Any]] = []
        names: list[str] = []
        while True:
            match = self._next()
            opened = {"[": list, "{": Fields}.get(match["sign"] or "")
            if opened is not None:
                open_.append(opened())
                if len(open_) > MOST_NESTED:
                    raise NotJson
                if not self._is_empty(open_[-1], names):
                    continue
                value: Any = open_.pop()
            else:
                value = _scalar(match)
                self._check_end(match, is_root=not open_)
            while open_ and self._closes(open_[-1], names, value):
                value = open_.pop()
            if not open_:
                return value

    def _is_empty(self, container: Fields | list[Any], names: list[str]) -> bool:
        """Whether it is closed at once; else the name of its first field is read."""
        before = self._at
        match = self._next()
        if match["sign"] == ("]" if isinstance(container, list) else "}"):
            return True
        if isinstance(container, Fields):
            names.append(self._name(match))
        else:
            self._at = before
        return False

    def _closes(self, container: Fields | list[Any], names: list[str], value: Any) -> bool:
        """Puts the value into the container, and says whether that ends with it."""
        if isinstance(container, list):
            container.append(value)
        else:
            container.pairs.append((names.pop(), value))
        sign = self._next()["sign"]
        if sign == "," and isinstance(container, Fields):
            names.append(self._name(self._next()))
        if sign not in (",", "]" if isinstance(container, list) else "}"):
            raise NotJson
        return sign != ","

    def _check_end(self, match: re.Match[str], is_root: bool) -> None:
        after = self._text[self._at : self._at + 1]
        if is_root and match["number"] and after and after not in " \t\n\r":
            raise NotJson


def _scalar(match: re.Match[str]) -> Any:
    if match["text"] is not None:
        return _unquoted(match["text"])
    if match["number"] is not None:
        text = match["number"]
        return Number(_real(float(text)) if match["part"] else str(int(text)) if len(text) < 9 else text)
    if match["word"] is None:
        raise NotJson
    return _WORDS[match["word"]]


def _real(value: float) -> str:
    text = double_text(value)
    return f'"{text}"' if text.endswith("y") else text


def _unquoted(token: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match[1] is not None:
            return chr(int(match[1], 16))
        if match[2] not in _ESCAPED:
            raise NotJson
        return _ESCAPED[match[2]]

    units = _ESCAPE.sub(replaced, token[1:-1]).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def parsed(text: str) -> Any:
    """The first value of the text."""
    return _Reader(text).value()


def _quoted(text: str) -> str:
    names = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
    units = text.encode("utf-16-be", "surrogatepass")
    halves = [chr(high << 8 | low) for high, low in zip(units[::2], units[1::2], strict=True)]
    is_coded = [half < " " or "\ud800" <= half < "\ue000" for half in halves]
    coded = [f"\\u{ord(half):04X}" if code else half for half, code in zip(halves, is_coded, strict=True)]
    return '"' + "".join(names.get(half) or code for half, code in zip(halves, coded, strict=True)) + '"'


def as_text(value: Any) -> str:
    match value:
        case Fields():
            return "{" + ",".join(f"{_quoted(name)}:{as_text(part)}" for name, part in value.pairs) + "}"
        case list():
            return "[" + ",".join(map(as_text, value)) + "]"
        case Number():
            return value.text
        case str():
            return _quoted(value)
    return "null" if value is None else str(value).lower()


class Style(Enum):
    """How what is found is written: a text without quotes, with them, or arrays without brackets."""

    RAW = 0
    QUOTED = 1
    FLAT = 2


def _follow(value: Any, path: tuple[Step, ...], style: Style, out: list[str]) -> bool:
    """Adds what is at the path to the output; whether anything is.

    With `[*]` Spark writes an array; of one element only the element, and of `[*][*]` arrays in one.
    """
    if not path:
        return _copy(value, style, out)
    step, *rest = path
    match step:
        case str() if isinstance(value, Fields):
            parts = (part for name, part in value.pairs if name == step and part is not None)
            return any(_follow(part, tuple(rest), style, out) for part in parts)
        case int() if isinstance(value, list) and step < len(value):
            is_wild = bool(rest) and rest[0] is Wild.ELEMENTS
            return _follow(value[step], tuple(rest), Style.QUOTED if is_wild else style, out)
        case Wild.ELEMENTS if isinstance(value, list):
            return _elements(value, tuple(rest), style, out)
    return False


def _copy(value: Any, style: Style, out: list[str]) -> bool:
    if style is Style.FLAT and isinstance(value, list):
        return sum(_copy(part, style, out) for part in value) > 0
    out.append(value if style is Style.RAW and isinstance(value, str) else as_text(value))
    return True


def _elements(values: list[Any], rest: tuple[Step, ...], style: Style, out: list[str]) -> bool:
    if rest[:1] == (Wild.ELEMENTS,):
        return _array(values, rest[1:], Style.FLAT, out)
    if style is Style.QUOTED:
        return _array(values, rest, Style.QUOTED, out)
    inside: list[str] = []
    inner = Style.FLAT if style is Style.FLAT else Style.QUOTED
    count = sum(_follow(value, rest, inner, inside) for value in values)
    if count:
        out.append(f"[{','.join(inside)}]" if count > 1 else ",".join(inside))
    return count > 0


def _array(values: list[Any], rest: tuple[Step, ...], style: Style, out: list[str]) -> bool:
    inside: list[str] = []
    matches = [_follow(value, rest, style, inside) for value in values]
    out.append(f"[{','.join(inside)}]")
    return any(matches)


def get_json_object(text: str, path: str) -> str | None:
    followed = steps(path)
    out: list[str] = []
    try:
        is_found = followed is not None and _follow(parsed(text), followed, Style.RAW, out)
        " ".join(out).encode()
    except (NotJson, UnicodeEncodeError):
        return None
    return " ".join(out) if is_found else None


def _of(kind: type, compute: Callable[[Any], Any]) -> Callable[[str], Any]:
    def computed(text: str) -> Any:
        try:
            value = parsed(text)
        except NotJson:
            return None
        return compute(value) if isinstance(value, kind) else None

    return computed


PLAIN: dict[str, Callable[..., Any]] = {
    "get_json_object": get_json_object,
    "json_array_length": _of(list, len),
    "json_object_keys": _of(
        Fields, lambda value: tuple(name.encode(errors="replace").decode() for name, _ in value.pairs)
    ),
}
