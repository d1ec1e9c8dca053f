"""CREATE FUNCTION, and which names a function of a user may have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.algebra.import_paths import function_at, is_udf
from slackwater.algebra.types import UNKNOWN, Type, array, struct
from slackwater.algebra.users.functions import AGGREGATE, KINDS, ROWS, SCALAR, TABLE, UserFunction
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.catalogs.removal import replace_function
from slackwater.bind.columns import declared_columns
from slackwater.bind.functions import known_functions
from slackwater.bind.types import type_named
from slackwater.bind.user_functions import problems, python
from slackwater.bind.user_functions.reserved import RESERVED
from slackwater.language.cql import nodes
from slackwater.language.cql.dialect import CQL
from slackwater.language.cql.parser import CQLParser
from slackwater.language.options import repeated_option

OPTIONS = ("kind", "strict")


def is_built_in(name: str) -> bool:
    """Whether SQL, or its parser, has a function or a word of that name."""
    is_function = name.lower() in {*known_functions(), *RESERVED} or name.upper() in CQLParser.FUNCTIONS
    return is_function or [token.token_type for token in CQL().tokenize(name)] != [TokenType.VAR]


def declare_function(node: nodes.CreateFunction, binding: Binding) -> None:
    """CREATE FUNCTION: the function is imported now, so that a wrong path is an error of the text."""
    name, span = node.this.name, binding.span(node.this)
    if is_built_in(name):
        binding.report(problems.BUILT_IN_FUNCTION.at(span, name=name))
    elif name.lower() in binding.catalog.functions:
        replace_function(node, binding)
    schema = declared_columns(node.columns, binding)
    form = AGGREGATE if node.is_aggregate else SCALAR if node.table is None else TABLE
    path, (kind, strict) = node.args["path"], _options(node, binding)
    function, problem = _imported(path.name, binding.span(path))
    if is_udf(function):
        kind = (python.udf_form(function) or (form, kind))[1]
    problem = problem or _wrong(function, path.name, form, kind, len(schema), binding.span(path))
    if problem is not None:
        binding.report(problem)
    own = UserFunction(name, path.name, kind, _result(node, binding), schema.types, strict, form=form)
    binding.catalog.functions.setdefault(name.lower(), own)


def _result(node: nodes.CreateFunction, binding: Binding) -> Type:
    """The type of the value; of a table function the array of its rows."""
    if node.table is not None:
        columns = declared_columns(node.table, binding)
        return UNKNOWN if UNKNOWN in columns.types else rows_of(dict(columns))
    returns = node.args["returns"]
    result = type_named(returns)
    if result is None:
        binding.report(errors.unknown_type(str(returns), binding.span(returns)))
    return result or UNKNOWN


def rows_of(columns: dict[str, Type]) -> Type:
    """The type of what a table function with these columns returns."""
    return array(struct(**columns))


def _imported(path: str, span: Span) -> tuple[Any, Diagnostic | None]:
    """What an import path names, or what is wrong with it."""
    module, colon, name = path.partition(":")
    why = "It has no module before a colon, or no function behind it"
    if colon and module and name:
        try:
            return function_at(path), None
        except (Exception, SystemExit) as cause:
            why = f"{type(cause).__name__}: {cause}".rstrip(".")
    return None, problems.BAD_FUNCTION.at(span, path=path, why=why)


def _wrong(function: Any, path: str, form: str, kind: str, count: int, span: Span) -> Diagnostic | None:
    """Why what was imported is not a function of the form that is declared, with so many arguments."""
    if python.is_random(function):
        return problems.NOT_DETERMINISTIC.at(span, path=path)
    if form == AGGREGATE and not count:
        return problems.NO_ARGUMENTS.at(span, path=path)
    if (why := python.unfit(function, form, kind)) is not None:
        if form == AGGREGATE:
            return problems.BAD_AGGREGATE.at(span, path=path, why=why)
        return problems.BAD_FUNCTION.at(span, path=path, why=why)
    if not python.takes_arguments(function, form, kind, count):
        shown = python.signature(function, form, kind)
        listed = f"{count} argument{'' if count == 1 else 's'}"
        return problems.WRONG_SIGNATURE.at(span, path=path, count=listed, signature=shown)
    return None


def _options(node: nodes.CreateFunction, binding: Binding) -> tuple[str, bool]:
    options: dict[str, exp.Expression] = {}
    for option in node.args.get("options") or []:
        name, span = option.this.name.lower(), binding.span(option.this)
        if name not in OPTIONS:
            known, hint = quoted(OPTIONS), did_you_mean(name, OPTIONS)
            unknown = problems.UNKNOWN_FUNCTION_OPTION.at(span, name=option.this.name, known=known, hint=hint)
            binding.report(unknown)
        elif name in options:
            binding.report(replace(repeated_option(name), span=span))
        options[name] = option.expression
    kind, strict = options.get("kind"), options.get("strict")
    kinds = (ROWS,) if node.table is not None else KINDS
    if kind is not None and kind.name not in kinds:
        _bad_value("kind", kind, kinds_in_words(kinds), binding)
    if strict is not None and not isinstance(strict, exp.Boolean):
        _bad_value("strict", strict, "Write TRUE or FALSE.", binding)
    return kind.name if kind is not None else ROWS, isinstance(strict, exp.Boolean) and bool(strict.this)


def kinds_in_words(kinds: tuple[str, ...]) -> str:
    """What may be chosen."""
    if len(kinds) == 1:
        return f"Only {kinds[0]} is possible here."
    return f"Choose {', '.join(kinds[:-1])} or {kinds[-1]}."


def _bad_value(option: str, value: exp.Expression, hint: str, binding: Binding) -> None:
    span = binding.span(value)
    binding.report(problems.UNKNOWN_KIND.at(span, value=span.content, option=option, expected=hint))
