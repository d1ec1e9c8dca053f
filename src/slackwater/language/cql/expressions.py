"""Parsing expressions: the functions, signs and literals of CQL among those of sqlglot."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import Plus
from slackwater.language.cql.patterns import PatternParser
from slackwater.language.cql.words import FUNCTION_FORMS, PLAIN_CALLS, SPARK_CALLS

_PREDICATES = (
    TokenType.BETWEEN,
    TokenType.IN,
    TokenType.IS,
    TokenType.LIKE,
    TokenType.ILIKE,
    TokenType.RLIKE,
)
_NESTED = (TokenType.STRUCT, TokenType.ARRAY, TokenType.MAP)
_UNNAMED = ""
"""The name of a call with the wrong number of arguments, until its own name is set."""


class ExpressionParser(PatternParser):
    """The part of the parser for expressions."""

    # Names with a special meaning in other dialects, but not in CQL.
    NO_PAREN_FUNCTION_PARSERS: ClassVar = {
        "ANY": Parser.NO_PAREN_FUNCTION_PARSERS["ANY"],
        "SOME": Parser.NO_PAREN_FUNCTION_PARSERS["ANY"],
        "CASE": Parser.NO_PAREN_FUNCTION_PARSERS["CASE"],
    }
    FUNCTIONS: ClassVar = {
        name: build
        for name, build in Parser.FUNCTIONS.items()
        if name not in {*PLAIN_CALLS, *SPARK_CALLS} and "J_S_O_N" not in name
    }
    FUNCTION_PARSERS: ClassVar = {
        name: parse for name, parse in Parser.FUNCTION_PARSERS.items() if name in FUNCTION_FORMS
    }
    RANGE_PARSERS: ClassVar = {
        sign: parse for sign, parse in Parser.RANGE_PARSERS.items() if sign in _PREDICATES
    }
    UNARY_PARSERS: ClassVar = {
        **Parser.UNARY_PARSERS,
        TokenType.PLUS: lambda self: self.expression(Plus(this=self._parse_unary())),
    }
    PLACEHOLDER_PARSERS: ClassVar = {}
    LAMBDAS: ClassVar = {
        TokenType.ARROW: lambda self, names: self.expression(
            exp.Lambda(this=self._parse_disjunction(), expressions=names)
        )
    }
    ASSIGNMENT: ClassVar = {}
    BRACKETS: ClassVar = frozenset({TokenType.L_BRACKET})
    COLUMN_OPERATORS: ClassVar = {
        sign: parse
        for sign, parse in Parser.COLUMN_OPERATORS.items()
        if sign in (TokenType.DOT, TokenType.DCOLON)
    }
    PRIMARY_PARSERS: ClassVar = {
        **Parser.PRIMARY_PARSERS,
        TokenType.NULL: lambda self, token: self.expression(exp.Null(), token),
        TokenType.TRUE: lambda self, token: self.expression(exp.Boolean(this=True), token),
        TokenType.FALSE: lambda self, token: self.expression(exp.Boolean(this=False), token),
        TokenType.STAR: lambda self, token: self._parse_star_without(token),
    }

    def _parse_star_without(self, token: Token) -> exp.Expr:
        """*, * EXCEPT (a, b), * EXCLUDE (a, b), * REPLACE (a + 1 AS a)."""
        star = self.expression(exp.Star(), token)
        if self._begins_names("EXCEPT", "EXCLUDE"):
            self._advance()
            star.set("except_", self._parse_names())
        elif self._curr.text.upper() == "EXCLUDE" and self._next.token_type in self.ID_VAR_TOKENS:
            self._advance()  # one column, as in DuckDB; after EXCEPT it would be a query
            star.set("except_", [self._parse_new_name("a column")])
        if self._begins_names("REPLACE"):
            self._advance()
            star.set("replace", self._parse_wrapped_csv(self._parse_expression))
        return self._mark(star, token)

    def _begins_names(self, *words: str) -> bool:
        """Whether one of the words and a list in parentheses follow, which is no query."""
        after = self._tokens[self._index + 2 : self._index + 3]
        is_query = bool(after) and after[0].token_type in (
            TokenType.SELECT,
            TokenType.WITH,
            TokenType.L_PAREN,
        )
        is_list = self._next.token_type == TokenType.L_PAREN and not is_query
        return self._curr.text.upper() in words and is_list

    def validate_expression(self, expression: Any, args: list[Any] | None = None) -> Any:
        """Accept too many or too few arguments of a function: binding reports them."""
        if args is not None and isinstance(expression, exp.Func) and expression.error_messages(args):
            return exp.Anonymous(this=_UNNAMED, expressions=args)
        return super().validate_expression(expression, args)

    def _parse_primary(self) -> exp.Expr | None:
        first = self._curr
        if parameter := self._parse_named_parameter():
            return parameter
        primary = super()._parse_primary()
        if first.token_type == TokenType.STRING and isinstance(primary, exp.Concat):
            self.refuse(errors.unexpected(self.span(self._prev), 'one string, or "||" between two'))
        return self._mark(primary, first) if isinstance(primary, exp.Literal) else primary

    def _parse_interval(
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Add | exp.Interval | None:
        first = self._curr
        interval = super()._parse_interval(require_interval, parse_function_unit)
        return self._mark(interval, first) if isinstance(interval, exp.Interval) else interval

    def _parse_types(self, *arguments: Any, **options: Any) -> exp.Expr | None:
        first = self._curr
        is_type = not (arguments or options.get("check_func"))
        if not is_type and first.token_type in _NESTED and self._next.token_type == TokenType.L_PAREN:
            return None  # struct(a, b), a function
        row = self._parse_row_type() if is_type else None
        kind = row or super()._parse_types(*arguments, **options)
        return self._mark(kind, first) if isinstance(kind, exp.DataType) else kind

    def _parse_row_type(self) -> exp.DataType | None:
        """ROW(a INT, b STRING), a struct as the standard and Flink write it."""
        if self._curr.text.upper() != "ROW" or self._next.token_type != TokenType.L_PAREN:
            return None
        self._advance()
        fields = self._parse_wrapped_csv(self._parse_struct_types)
        kind = exp.DataType(this=exp.DType.STRUCT, expressions=fields, nested=True)
        while self._match(TokenType.ARRAY) or self._match_pair(TokenType.L_BRACKET, TokenType.R_BRACKET):
            kind = exp.DataType(this=exp.DType.ARRAY, expressions=[kind], nested=True)
        return kind

    def _parse_struct_types(self, type_required: bool = False) -> exp.ColumnDef:
        """A field of a struct: a INT, or a: INT, whose name may be the word of a type."""
        name = self._parse_id_var()
        self._match(TokenType.COLON)
        kind = self._parse_types() if name is not None else None
        if name is None or kind is None:
            self.refuse(errors.unexpected(self.span(self._curr), "a field with its type, a INT"))
        self._match_text_seq("NOT", "NULL")
        return exp.ColumnDef(this=name, kind=kind)

    def _parse_function_call(
        self,
        functions: dict[str, Any] | None = None,
        anonymous: bool = False,
        optional_parens: bool = True,
        any_token: bool = False,
    ) -> exp.Expr | None:
        first = self._curr
        call = super()._parse_function_call(functions, anonymous, optional_parens, any_token)
        for unnamed in call.find_all(exp.Anonymous) if call else ():
            if unnamed.this == _UNNAMED:
                unnamed.set("this", first.text)
        return self._mark(call, first) if call else call
