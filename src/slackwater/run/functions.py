"""Functions of users that Python registers, and how a checkpoint knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_type_hints

from pyspark import cloudpickle
from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.aggregations import aggregations_of
from slackwater.algebra.expressions import UserCall
from slackwater.algebra.import_paths import is_udf, path_of, unwrapped
from slackwater.algebra.operator import Operator
from slackwater.algebra.recursion import Recursion
from slackwater.algebra.types import STRING, Type, array
from slackwater.algebra.users.functions import AGGREGATE, KINDS, ROWS, SCALAR, TABLE, UserFunction
from slackwater.base.diagnostic import EngineError
from slackwater.bind.catalog import Catalog
from slackwater.bind.types import type_named
from slackwater.bind.user_functions.declare import is_built_in, kinds_in_words
from slackwater.bind.user_functions.python import is_random, takes_arguments, udf_form, unfit
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
_METHODS = {
    SCALAR: "register_function",
    AGGREGATE: "register_aggregate",
    TABLE: "register_table_function",
}
"""The methods of sessions that register functions, by their form."""


class Functions:
    """Registers functions as `spark.udf` and `spark.udtf` do."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def register(self, name: str, f: Callable[..., Any], returnType: Any = None) -> Callable[..., Any]:
        """A function over rows, or a Spark UDF, for calls in SQL; without a type it returns a string."""
        has_type = returnType is not None or is_udf(f) or "return" in _hints(f)
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
    form: str = SCALAR,
) -> None:
    """Add a function to a catalog, in place of one of the same name; raises EngineError."""
    where = _METHODS[form]
    if not isinstance(name, str) or not name.isidentifier() or is_built_in(name):
        hint = "Choose a name that SQL does not have, of letters, digits and underscores."
        raise EngineError(bad_option(where, "name", str(name), hint))
    if kind not in KINDS:
        raise EngineError(bad_option(where, "kind", str(kind), kinds_in_words(KINDS)))
    if is_udf(function):
        form, kind, returns = _of_spark(function, returns, where)
    plain = unwrapped(function)
    if (why := unfit(function, form, kind)) is not None:
        instead = (
            "Pass a class with the methods add(…) and finish()." if form == AGGREGATE else "Pass a function."
        )
        raise EngineError(bad_option(where, "function", str(function), f"{why}. {instead}"))
    result = _result(plain, returns, form, kind, where)
    listed = None if arguments is None else tuple(_type(one, "arguments", where) for one in arguments)
    if listed is not None and not takes_arguments(function, form, kind, len(listed)):
        hint = "List the types of as many arguments as the function takes."
        raise EngineError(bad_option(where, "arguments", str(len(listed)), hint))
    path = path_of(plain) or ""
    code = b"" if path else _code(plain, name, where)
    catalog.functions[name.lower()] = UserFunction(name, path, kind, result, listed, bool(strict), code, form)


def _result(plain: Any, returns: Any, form: str, kind: str, where: str) -> Type:
    """The type that is passed or, in its place, that a function or the method finish is annotated with."""
    if form == TABLE:
        return _rows(returns, where)
    if returns is None:
        returns = _hints(plain.finish if form == AGGREGATE and kind == ROWS else plain).get("return")
    return _type(returns, "returns", where)


def _rows(returns: Any, where: str) -> Type:
    """The array of rows whose columns are passed as a text, `a INT, b STRING`, or as a type of Spark."""
    text = f"struct<{returns}>" if isinstance(returns, str) else returns
    type_ = _type(text, "returns", where) if text is not None else None
    if type_ is None or type_.name != "struct":
        raise EngineError(bad_option(where, "returns", str(returns), "Write its columns: 'a INT, b STRING'."))
    return array(type_)


def functions_in(plan: Operator) -> list[UserFunction]:
    """The functions of users that a plan calls, each once, by name."""
    calls = [function for operator in _operators(plan) for function in _called(operator)]
    return sorted(dict.fromkeys(calls), key=lambda function: (function.name, function.signature))


def _called(operator: Operator) -> Iterator[UserFunction]:
    """The functions that an operator calls itself, in subqueries or for rows."""
    for call in aggregations_of(operator):
        if call.user is not None:
            yield call.user
    for expr in operator.expressions:
        for node in expr.walk():
            if isinstance(node, UserCall):
                yield node.function
            elif (plan := getattr(node, "plan", None)) is not None:
                yield from functions_in(plan)


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


def _of_spark(function: Any, returns: Any, where: str) -> tuple[str, str, Any]:
    """The form, kind and type of a Spark UDF, which has to be declared deterministic."""
    name = function.func.__name__
    if is_random(function):
        hint = (
            "An answer is computed again after a failure: pass a function that is deterministic; a UDTF is "
            "declared so with asDeterministic()."
        )
        raise EngineError(bad_option(where, "function", name, hint))
    known = udf_form(function)
    if known is None:
        hint = "Pass its Python function, with kind='polars' or kind='arrow'."
        raise EngineError(bad_option(where, "function", name, hint))
    return *known, function.returnType if returns is None else returns


def _hints(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception:
        # Annotations may name anything, also what is not defined.
        return {}


def _type(value: Any, option: str, where: str) -> Type:
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
        raise EngineError(bad_option(where, option, str(value), hint))
    return type_


def _code(function: Any, name: str, where: str) -> bytes:
    try:
        code: bytes = cloudpickle.dumps(function)  # type: ignore[no-untyped-call]
    except Exception as cause:
        hint = "Define it at the top of a module, so that it can be imported."
        raise EngineError(bad_option(where, "function", name, hint)) from cause
    return code
