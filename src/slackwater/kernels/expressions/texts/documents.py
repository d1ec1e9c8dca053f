"""JSON in texts, by Python's scanner: numbers stay texts, objects are their pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from slackwater.algebra.expressions.json_paths import MOST_NESTED, Step, Wild, steps
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.texts.java_texts import double_text

_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_FAR: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_WHITE: Final = " \t\n\r"


class _Object(tuple[tuple[str, Any], ...]):
    """The pairs of an object, of which several may have one name."""

    __slots__ = ()


class _Number(str):
    """A number as it is written again."""

    __slots__ = ()


def _whole(text: str) -> _Number:
    return _Number("0" if text == "-0" else text)


def _real(text: str) -> _Number:
    shown = double_text(float(text))
    return _Number(json.dumps(shown) if shown[-1] == "y" else shown)


def _refused(word: str) -> Any:
    raise ValueError(word)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Object, parse_int=_whole, parse_float=_real, parse_constant=_refused, strict=False
)


def _value(text: str) -> Any:
    """The first value of the text; ValueError if it is not JSON."""
    start = len(text) - len(text.lstrip(_WHITE))
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError:
        if "'" not in text:
            raise
        text = _with_double_quotes(text)
        value, end = _DECODER.raw_decode(text, start)
    if isinstance(value, _Number) and text[end : end + 1] not in ("", *_WHITE):
        raise ValueError("a number ends in something else")
    if (isinstance(value, bool) or value is None) and re.match(r"[\w$]", text[end:]):
        raise ValueError("a word ends in something else")
    if text.count("[") + text.count("{") > MOST_NESTED and _depth(text[:end]) > MOST_NESTED:
        raise ValueError("nested too deep")
    return value


def _with_double_quotes(text: str) -> str:
    """Texts in single quotes are allowed, and an escaped one in any."""

    def changed(match: re.Match[str]) -> str:
        inside = match[0][1:-1]
        if match[0][0] == "'":
            inside = re.sub(
                r'\\.|"', lambda part: '\\"' if part[0] == '"' else part[0], inside, flags=re.DOTALL
            )
        inside = re.sub(r"\\.", lambda part: "'" if part[0] == "\\'" else part[0], inside, flags=re.DOTALL)
        return f'"{inside}"'

    return _QUOTED.sub(changed, text)


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in re.findall(r"[\[\]{}]", _QUOTED.sub("", text)):
        depth += 1 if sign in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _text(value: Any) -> str:
    if isinstance(value, _Object):
        return f"{{{','.join(f'{_quote(name)}:{_text(part)}' for name, part in value)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    if isinstance(value, _Number):
        return str(value)
    return _quote(value) if isinstance(value, str) else json.dumps(value)


def _quote(text: str) -> str:
    """Control characters and those beyond 16 bits as \\uXXXX, others as they are."""
    plain = _FAR.sub(lambda far: json.dumps(far[0])[1:-1], json.dumps(text, ensure_ascii=False))
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|.)", lambda part: f"\\u{part[1].upper()}" if part[1] else part[0], plain
    )


Result = tuple[bool, list[str]]
"""Whether the path leads to something, and what is written for it: Spark may write without finding."""


def _at(value: Any, path: tuple[Step, ...], style: str) -> Result:
    if not path:
        return _end(value, style)
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        return _field(value, step, rest, style)
    if not isinstance(value, list) or step is Wild.FIELDS:
        return False, []
    if isinstance(step, int):
        if step >= len(value):
            return False, []
        return _at(value[step], rest, "quoted" if rest[:1] == (Wild.ELEMENTS,) else style)
    if rest[:1] == (Wild.ELEMENTS,):
        return _whole_array(value, rest[1:], "flat")
    if style == "quoted":
        return _whole_array(value, rest, style)
    count, texts = _all(value, rest, "flat" if style == "flat" else "quoted")
    if count > 1:
        return True, [f"[{','.join(texts)}]"]
    return count == 1, [",".join(texts)] if count else []


def _field(value: Any, name: str, rest: tuple[Step, ...], style: str) -> Result:
    """The first field of that name that is not null and leads on."""
    output: list[str] = []
    for key, part in value if isinstance(value, _Object) else ():
        if key == name and part is not None:
            is_found, texts = _at(part, rest, style)
            output += texts
            if is_found:
                return True, output
    return False, output


def _end(value: Any, style: str) -> Result:
    if style == "flat" and isinstance(value, list):
        count, texts = _all(value, (), "flat")
        return count > 0, texts
    is_bare = style == "raw" and isinstance(value, str) and not isinstance(value, _Number)
    return True, [value if is_bare else _text(value)]


def _all(values: list[Any], rest: tuple[Step, ...], style: str) -> tuple[int, list[str]]:
    """In how many of the values there is something, and all that is written."""
    results = [_at(value, rest, style) for value in values]
    return sum(is_found for is_found, _ in results), [text for _, texts in results for text in texts]


def _whole_array(values: list[Any], rest: tuple[Step, ...], style: str) -> Result:
    count, texts = _all(values, rest, style)
    return count > 0, [f"[{','.join(texts)}]"]


def _get_json_object(text: str, path: str) -> str | None:
    followed = steps(path)
    if followed is None:
        return None
    try:
        is_found, texts = _at(_value(text), followed, "raw")
        answer = " ".join(texts)
        answer.encode()
    except ValueError:
        return None
    return answer if is_found else None


def _if(kind: type, compute: Callable[[Any], Any]) -> Callable[[str], Any]:
    def computed(text: str) -> Any:
        try:
            value = _value(text)
        except ValueError:
            return None
        return compute(value) if isinstance(value, kind) else None

    return computed


def _names(value: _Object) -> tuple[str, ...]:
    return tuple(re.sub("[\ud800-\udfff]", "?", name) for name, _ in value)


MAKERS: dict[str, Maker] = {
    "get_json_object": rowwise(_get_json_object),
    "json_array_length": rowwise(_if(list, len)),
    "json_object_keys": rowwise(_if(_Object, _names)),
}
