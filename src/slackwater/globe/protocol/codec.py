"""Messages as JSON: records by their fields, nothing more and nothing less.

    {"type": "Resume", "stream": "vela", "digest": "0a…", "after": 7}

What has unknown or missing fields, or values of other types, is refused.
"""

from __future__ import annotations

import base64
import json
import types
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from slackwater.base.diagnostic import EngineError
from slackwater.globe.model import PeerName
from slackwater.globe.protocol import problems
from slackwater.globe.protocol.messages import Member, Message

_T = TypeVar("_T")
_MESSAGES = {kind.__name__: kind for kind in get_args(Message)}
MOST = 32 << 20
"""The most bytes of a message of control."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a peer was when it stopped: in which subnet, among whom."""

    subnet: str
    term: int
    speaker: PeerName
    members: tuple[Member, ...]


def pack(message: Message) -> bytes:
    """A message as JSON, with its type."""
    return json.dumps({"type": type(message).__name__, **_plain(message)}, separators=(",", ":")).encode()


def unpack(content: bytes) -> Message:
    """The message; raises EngineError where it is none."""
    data = _parsed(content)
    kind = _MESSAGES.get(data.pop("type", None)) if isinstance(data, dict) else None
    if kind is None:
        raise EngineError(problems.BAD_MESSAGE.at(why="its type is unknown"))
    message: Message = _made(kind, data)
    return message


def encode(record: Any) -> bytes:
    """A record as JSON."""
    return json.dumps(_plain(record), separators=(",", ":")).encode()


def decode(kind: type[_T], content: bytes) -> _T:
    """The record of a type; raises EngineError."""
    record: _T = _made(kind, _parsed(content))
    return record


def _parsed(content: bytes) -> Any:
    if len(content) > MOST:
        raise EngineError(problems.LARGE_MESSAGE.at(size=len(content), most=MOST))
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise EngineError(problems.BAD_MESSAGE.at(why="it is not JSON")) from error


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in _stored(_kind(value))}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, frozenset):
        return sorted(map(_plain, value))
    return value


def _kind(value: Any) -> Any:
    return type(value)


@lru_cache(maxsize=256)
def _stored(kind: Any) -> tuple[Any, ...]:
    return tuple(field for field in fields(kind) if field.init)


@lru_cache(maxsize=256)
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _made(kind: Any, data: Any) -> Any:
    """A value of a type from JSON."""
    if is_dataclass(kind):
        return _record(kind, data)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _check(data in arguments, data, kind)
    if origin in (Union, types.UnionType):
        return None if data is None else _made(next(a for a in arguments if a is not type(None)), data)
    if origin in (tuple, frozenset):
        _check(isinstance(data, list), data, kind)
        if origin is frozenset or arguments[-1] is Ellipsis:
            return origin(_made(arguments[0], part) for part in data)
        _check(len(data) == len(arguments), data, kind)
        return tuple(_made(one, part) for one, part in zip(arguments, data, strict=True))
    if kind is bytes:
        return _bytes(data)
    if kind is float:
        return float(_check(isinstance(data, int | float) and not isinstance(data, bool), data, kind))
    return _check(type(data) is kind, data, kind)


def _record(kind: Any, data: Any) -> Any:
    _check(isinstance(data, dict), data, kind)
    hints, known = _types(kind), {field.name for field in _stored(kind)}
    if strange := data.keys() - known:
        why = f'{kind.__name__} has no field "{min(strange)}"'
        raise EngineError(problems.BAD_MESSAGE.at(why=why))
    try:
        return kind(**{name: _made(hints[name], value) for name, value in data.items()})
    except (TypeError, ValueError, KeyError) as error:
        why = f"{kind.__name__} is incomplete or inconsistent"
        raise EngineError(problems.BAD_MESSAGE.at(why=why)) from error


def _bytes(data: Any) -> bytes:
    try:
        return base64.b64decode(_check(isinstance(data, str), data, bytes), validate=True)
    except ValueError as error:
        raise EngineError(problems.BAD_MESSAGE.at(why="bytes are not in base 64")) from error


def _check(is_right: bool, data: Any, kind: Any) -> Any:
    if not is_right:
        name = getattr(kind, "__name__", str(kind))
        raise EngineError(problems.BAD_MESSAGE.at(why=f"{str(data)[:40]!r} is no {name}"))
    return data
