"""CREATE FUNCTION, and which names a function of a user may have."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from slackwater.algebra.import_paths import function_at
from slackwater.algebra.types import UNKNOWN
from slackwater.algebra.user_functions import KINDS, ROWS, UserFunction
from slackwater.base.diagnostic import did_you_mean, quoted
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.catalogs.removal import replace_function
from slackwater.bind.columns import declared_columns
from slackwater.bind.functions import known_functions
from slackwater.bind.types import type_named
from slackwater.bind.user_functions import problems
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
    result = type_named(node.args["returns"])
    if result is None:
        returns = node.args["returns"]
        binding.report(errors.unknown_type(str(returns), binding.span(returns)))
    path = node.args["path"]
    if (why := wrong_path(path.name)) is not None:
        binding.report(problems.BAD_FUNCTION.at(binding.span(path), path=path.name, why=why))
    kind, strict = _options(node, binding)
    function = UserFunction(name, path.name, kind, result or UNKNOWN, schema.types, strict)
    binding.catalog.functions.setdefault(name.lower(), function)


def wrong_path(path: str) -> str | None:
    """Why an import path does not name a function; None if it does."""
    module, colon, name = path.partition(":")
    if not colon or not module or not name:
        return "It has no module before a colon, or no function behind it"
    try:
        function: object = function_at(path)
    except (Exception, SystemExit) as cause:
        return f"{type(cause).__name__}: {cause}".rstrip(".")
    is_function = callable(function)
    return None if is_function else f"It is {type(function).__name__}"


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
    if kind is not None and kind.name not in KINDS:
        _bad_value("kind", kind, f"Choose {', '.join(KINDS[:-1])} or {KINDS[-1]}.", binding)
    if strict is not None and not isinstance(strict, exp.Boolean):
        _bad_value("strict", strict, "Write TRUE or FALSE.", binding)
    return kind.name if kind is not None else ROWS, isinstance(strict, exp.Boolean) and bool(strict.this)


def _bad_value(option: str, value: exp.Expression, hint: str, binding: Binding) -> None:
    span = binding.span(value)
    binding.report(problems.UNKNOWN_KIND.at(span, value=span.content, option=option, expected=hint))
