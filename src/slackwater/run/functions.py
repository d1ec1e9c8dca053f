"""Functions of users that Python registers, and how a checkpoint knows them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_type_hints

from pyspark import cloudpickle
from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.expressions import Expression, UserCall
from slackwater.algebra.import_paths import path_of
from slackwater.algebra.operator import Operator
from slackwater.algebra.recursion import Recursion
from slackwater.algebra.types import STRING, Type
from slackwater.algebra.user_functions import KINDS, ROWS, UserFunction
from slackwater.base.diagnostic import EngineError
from slackwater.bind.catalog import Catalog
from slackwater.bind.types import type_named
from slackwater.bind.user_functions.declare import is_built_in
from slackwater.language.cql.dialect import CQL
from slackwater.run import problems
from slackwater.sources.frame_errors import bad_option

_PYTHON: dict[Any, Type] = {
    bool: types.BOOLEAN,
    int: types.BIGINT,
    float: types.DOUBLE,
    str: types.STRING,
    bytes: types.BINARY,
    date: types.DATE,
    datetime: types.TIMESTAMP,
    Decimal: types.decimal(38, 18),
}
_WHERE = "register_function"
_BY_ROWS = (100, 101)
"""Spark's numbers for functions that are called row by row, with and without Arrow."""


class Functions:
    """Registers functions as `spark.udf` does."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def register(self, name: str, f: Callable[..., Any], returnType: Any = None) -> Callable[..., Any]:
        """A function over rows, or a Spark UDF, for calls in SQL; without a type it returns a string."""
        has_type = returnType is not None or hasattr(f, "returnType") or "return" in _hints(f)
        register(self._catalog, name, f, returnType if has_type else "string")
        return f


def register(
    catalog: Catalog,
    name: object,
    function: Any,
    returns: Any = None,
    arguments: Sequence[Any] | None = None,
    kind: str = ROWS,
    strict: bool = False,
) -> None:
    """Add a function to a catalog, in place of one of the same name; raises EngineError."""
    if not isinstance(name, str) or not name.isidentifier() or is_built_in(name):
        hint = "Choose a name that SQL does not have, of letters, digits and underscores."
        raise EngineError(bad_option(_WHERE, "name", str(name), hint))
    if kind not in KINDS:
        hint = f"Choose {', '.join(KINDS[:-1])} or {KINDS[-1]}."
        raise EngineError(bad_option(_WHERE, "kind", str(kind), hint))
    plain, returns = _of_spark(function, returns)
    if not callable(plain):
        raise EngineError(bad_option(_WHERE, "function", str(function), "Pass a function."))
    hints = _hints(plain)
    result = _type(hints.get("return") if returns is None else returns, "returns")
    takes = None if arguments is None else tuple(_type(one, "arguments") for one in arguments)
    if takes is not None and not _takes(plain, len(takes)):
        hint = "List the types of as many arguments as the function takes."
        raise EngineError(bad_option(_WHERE, "arguments", str(len(takes)), hint))
    path = path_of(plain) or ""
    code = b"" if path else _code(plain, name)
    catalog.functions[name.lower()] = UserFunction(name, path, kind, result, takes, bool(strict), code)


def functions_in(plan: Operator) -> list[UserFunction]:
    """The functions of users that a plan calls, each once, by name."""
    calls = [
        node.function
        for operator in _operators(plan)
        for expr in operator.expressions
        for node in _walk(expr)
        if isinstance(node, UserCall)
    ]
    return sorted(dict.fromkeys(calls), key=lambda function: function.name)


def identity_of(text: str, plan: Operator) -> str:
    """The text by which a checkpoint knows a query: with the functions that it calls."""
    calls = [f"\n-- {function.signature} at {function.path}" for function in functions_in(plan)]
    return text + "".join(calls)


def refuse_local_functions(plans: Sequence[Operator]) -> None:
    """Raises EngineError for functions without an import path: a checkpoint could not name them."""
    for plan in plans:
        for function in functions_in(plan):
            if not function.path:
                raise EngineError(problems.LOCAL_FUNCTION.at(name=function.name))


def _operators(plan: Operator) -> Iterator[Operator]:
    """All operators of a plan, with those in the bodies of recursions."""
    for operator in plan.walk():
        yield operator
        if isinstance(operator, Recursion):
            yield from _operators(operator.body.plan)


def _walk(expr: Expression) -> list[Expression]:
    inside = [node for part in expr.walk() for node in _in_subquery(part)]
    return [*expr.walk(), *inside]


def _in_subquery(expr: Expression) -> list[Expression]:
    plan = getattr(expr, "plan", None)
    if plan is None:
        return []
    return [node for operator in _operators(plan) for inner in operator.expressions for node in _walk(inner)]


def _of_spark(function: Any, returns: Any) -> tuple[Any, Any]:
    """The Python function of a Spark UDF, and its type; a UDF has to be declared deterministic."""
    if not hasattr(function, "returnType") or not hasattr(function, "func"):
        return function, returns
    if getattr(function, "deterministic", True) is False:
        hint = "An answer is computed again after a failure: pass a function that is deterministic."
        raise EngineError(bad_option(_WHERE, "function", function.func.__name__, hint))
    if getattr(function, "evalType", _BY_ROWS[0]) not in _BY_ROWS:
        hint = "Pass its Python function, with kind='polars' or kind='arrow'."
        raise EngineError(bad_option(_WHERE, "function", function.func.__name__, hint))
    return function.func, function.returnType if returns is None else returns


def _hints(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception:
        # Annotations may name anything, also what is not defined.
        return {}


def _takes(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a function of C without a signature
        return True
    return True


def _type(value: Any, option: str) -> Type:
    """A type by its name in SQL, as a type of Python, or as a type of Spark."""
    if value in _PYTHON:
        return _PYTHON[value]
    text = value.simpleString() if hasattr(value, "simpleString") else value
    type_ = None
    if isinstance(text, str):
        try:
            type_ = type_named(exp.DataType.build(text, dialect=CQL))
        except Exception:  # sqlglot may raise any on a text that is not a type
            type_ = None
    if type_ is None:
        hint = f"Write a type of SQL, such as '{STRING}' or 'array<int>', or annotate the function."
        raise EngineError(bad_option(_WHERE, option, str(value), hint))
    return type_


def _code(function: Any, name: str) -> bytes:
    try:
        code: bytes = cloudpickle.dumps(function)  # type: ignore[no-untyped-call]
    except Exception as cause:
        hint = "Define it at the top of a module, so that it can be imported."
        raise EngineError(bad_option(_WHERE, "function", name, hint)) from cause
    return code
