"""Modules of WebAssembly, known by their digests: checked, compiled once, and called within limits.

    (func (export "f") (param f64 f64) (result f64))         f(double, double) returns double
    (func (export "g") (param i32 i32) (result i64))         g(string) returns string, with the exports
    (memory (export "memory") 1)                             `memory` and `alloc(size) -> address`:
    (func (export "alloc") (param i32) (result i32))         gets address and length, gives both in one i64

A module imports nothing, so that it can neither see nor change anything outside of its own memory. Its value
depends on its arguments alone: where it has memory, tables or globals, every call begins with a new instance.
"""

from __future__ import annotations

import atexit
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from slackwater.algebra.types import BIGINT, DOUBLE, INT, STRING, Type

LARGEST: Final = 256 << 10
"""The most bytes of a module."""
MOST_MEMORY: Final = 16 << 20
MOST_FUEL: Final = 10_000_000
"""About the instructions that a call may execute."""
LONGEST: Final = 1 << 20
"""The most bytes of a text that a function gives."""
_DIGITS = 16
_TABLES, _MEMORY, _GLOBALS = 4, 5, 6
"""The numbers of the sections of a module that a call could leave something in."""
_TYPES = {"f64": DOUBLE, "i64": BIGINT, "i32": INT}


class Refused(Exception):
    """A module that cannot be used, or a call that failed; the message says why."""


def digest_of(content: bytes) -> str:
    """The name of a module: the beginning of its SHA-256 digest.

    >>> digest_of(b"")
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


@dataclass(slots=True)
class Module:
    """A compiled module."""

    compiled: Any
    functions: dict[str, tuple[tuple[Type, ...], Type]]
    """The signatures of what it exports."""
    is_stateless: bool
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _instance: Any = None

    def call(self, name: str, values: Sequence[Any]) -> Any:
        """The value of a function; raises Refused where it fails or takes too much."""
        import wasmtime

        arguments, result = self.functions[name]
        try:
            with self._lock:
                store, exports = self._instance or self._instantiated()
                self._instance = (store, exports) if self.is_stateless else None
                store.set_fuel(MOST_FUEL)
                if result == STRING:
                    return _text(store, exports, name, values[0])
                return exports[name](store, *map(_number, values, arguments))
        except wasmtime.WasmtimeError as error:
            raise Refused(_reason(error)) from None
        except wasmtime.Trap as trap:
            raise Refused(_reason(trap)) from None

    def check(self) -> None:
        """Begin an instance: its memory and its start function have limits, too; raises Refused."""
        import wasmtime

        try:
            self._instantiated()
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            raise Refused(_reason(error)) from None

    def _instantiated(self) -> tuple[Any, Any]:
        import wasmtime

        store = wasmtime.Store(_engine())
        store.set_limits(memory_size=MOST_MEMORY, table_elements=10_000, instances=1, tables=1, memories=1)
        store.set_fuel(MOST_FUEL)
        return store, wasmtime.Instance(store, self.compiled, []).exports(store)


def _number(value: Any, type_: Type) -> Any:
    return float(value) if type_ == DOUBLE else int(value)


def _text(store: Any, exports: Any, name: str, text: str) -> str:
    """Write the text where `alloc` says, and read where the answer is."""
    memory, content = exports["memory"], text.encode()
    address = exports["alloc"](store, len(content)) & 0xFFFF_FFFF
    if address + len(content) > memory.data_len(store):
        raise Refused("alloc gave an address outside of the memory")
    memory.write(store, content, address)
    packed = exports[name](store, address, len(content)) & 0xFFFF_FFFF_FFFF_FFFF
    begin, size = packed >> 32, packed & 0xFFFF_FFFF
    if size > LONGEST or begin + size > memory.data_len(store):
        raise Refused("it gave a text outside of its memory, or a too long one")
    try:
        return bytes(memory.read(store, begin, begin + size)).decode()
    except UnicodeDecodeError:
        raise Refused("it gave a text that is not UTF-8") from None


def _reason(error: Exception) -> str:
    """The last cause that wasmtime names, in a few words.

    >>> _reason(Exception("error\\nCaused by:\\n    0: in f\\n    1: wasm trap: unreachable"))
    'wasm trap: unreachable'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    last = next((line for line in lines if "wasm trap" in line or "all fuel" in line), lines[-1])
    return last.partition(": ")[2] if last[:1].isdigit() else last


@lru_cache(maxsize=1)
def _engine() -> Any:
    try:
        import wasmtime
    except ImportError:
        raise Refused('wasmtime is not installed at this peer: pip install "slackwater[wasm]"') from None

    atexit.register(_forget)
    config = wasmtime.Config()
    config.consume_fuel = True
    config.wasm_threads = False
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    config.cranelift_nan_canonicalization = True
    return wasmtime.Engine(config)


def _forget() -> None:
    """Before Python ends: wasmtime's own modules may be gone when the last object of it is deleted."""
    _installed.clear()
    _engine.cache_clear()


_installed: dict[str, Module] = {}
"""By digest, which names one content: a module is the same for every peer that installs it."""
_MOST_INSTALLED = 1_000


def install(content: bytes) -> str:
    """Check and compile a module, unless that was done; its digest; raises Refused."""
    digest = digest_of(content)
    if digest not in _installed:
        if len(_installed) >= _MOST_INSTALLED:
            raise Refused(f"this peer has the {_MOST_INSTALLED} modules that it may have")
        _installed[digest] = _module(content)
    return digest


def _module(content: bytes) -> Module:
    engine = _engine()
    import wasmtime

    if len(content) > LARGEST:
        raise Refused(f"it has {len(content)} bytes, and may have {LARGEST}")
    if content[:4] != b"\0asm":
        raise Refused("it is not WebAssembly in its binary format")
    try:
        compiled = wasmtime.Module(engine, content)
    except wasmtime.WasmtimeError as error:
        raise Refused(_reason(error)) from None
    if compiled.imports:
        first = compiled.imports[0]
        raise Refused(f'it imports "{first.module}.{first.name}", and may import nothing')
    signatures = _signatures(compiled, wasmtime.FuncType)
    if not signatures:
        raise Refused("it exports no function over f64, i64 and i32 with one result, nor one over texts")
    module = Module(compiled, signatures, not {_TABLES, _MEMORY, _GLOBALS} & _sections(content))
    module.check()
    return module


def _signatures(compiled: Any, kind: Any) -> dict[str, tuple[tuple[Type, ...], Type]]:
    exports = {export.name: export.type for export in compiled.exports}
    known: dict[str, tuple[tuple[Type, ...], Type]] = {}
    for name, type_ in exports.items():
        if isinstance(type_, kind) and name != "alloc":
            takes, gives = [list(map(str, part)) for part in (type_.params, type_.results)]
            if "alloc" in exports and "memory" in exports and (takes, gives) == (["i32", "i32"], ["i64"]):
                known[name] = ((STRING,), STRING)
            elif len(gives) == 1 and {*takes, *gives} <= _TYPES.keys():
                known[name] = (tuple(_TYPES[one] for one in takes), _TYPES[gives[0]])
    return known


def _sections(content: bytes) -> set[int]:
    """The numbers of the sections of a module that is well-formed."""
    at, numbers = 8, set()
    while at < len(content):
        numbers.add(content[at])
        size = shift = 0
        while True:
            at += 1
            size |= (content[at] & 0x7F) << shift
            shift += 7
            if content[at] < 0x80:
                break
        at += 1 + size
    return numbers


def module_functions(digest: str) -> dict[str, tuple[tuple[Type, ...], Type]]:
    """The functions of an installed module, with the types of their arguments and of their value."""
    return _installed[digest].functions


def signature(digest: str, name: str, count: int) -> tuple[Type, ...]:
    """The types of the arguments of a function of an installed module; raises Refused."""
    module = _installed.get(digest)
    if module is None:
        raise Refused(f'module "{digest}" is not at this peer')
    if name not in module.functions:
        raise Refused(f'module "{digest}" has no function "{name}"')
    takes = module.functions[name][0]
    if len(takes) != count:
        raise Refused(f'"{name}" takes {len(takes)} arguments, not {count}')
    return takes


def call(digest: str, name: str, values: Sequence[Any]) -> Any:
    """The value of a function of an installed module; raises Refused."""
    signature(digest, name, len(values))
    return _installed[digest].call(name, values)
