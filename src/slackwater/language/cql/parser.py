"""sqlglot's parser, with windows, stream operators, synchronization, best matches and declarations."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar, TypeVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from slackwater.language.cql import errors
from slackwater.language.cql.foreign import (
    BARE,
    FOREIGN,
    JOINS,
    bare_window,
    hint_for_clause,
    in_brackets,
)
from slackwater.language.cql.nodes import QUERIES, MaxUnion, StreamOf, StrictExcept, ValueRows, Windowed
from slackwater.language.cql.numbers import is_attached
from slackwater.language.cql.pivots import PivotParser
from slackwater.language.cql.streams import NAMED_OPERATIONS
from slackwater.language.cql.words import PHRASES, RESERVED

T = TypeVar("T")

_SET_OPERATIONS: dict[tuple[TokenType, str], type[exp.SetOperation]] = {
    (TokenType.UNION, "MAX"): MaxUnion,
    (TokenType.EXCEPT, "STRICT"): StrictExcept,
}
_NEVER_NAMES = {Tokenizer.KEYWORDS[word] for word in (*RESERVED, *PHRASES)}

_WITH_SETS = (["WITH", "ROLLUP"], ["WITH", "CUBE"])
_JOIN_WORDS = (TokenType.JOIN, TokenType.LEFT, TokenType.INNER, TokenType.RIGHT, TokenType.FULL)


class CQLParser(PivotParser):
    """One statement of CQL."""

    ID_VAR_TOKENS: ClassVar = Parser.ID_VAR_TOKENS - _NEVER_NAMES
    ALIAS_TOKENS: ClassVar = Parser.ALIAS_TOKENS - _NEVER_NAMES
    TABLE_ALIAS_TOKENS: ClassVar = Parser.TABLE_ALIAS_TOKENS - _NEVER_NAMES
    SUBQUERY_TOKENS: ClassVar = Parser.SUBQUERY_TOKENS | {TokenType.VALUES}
    RESERVED_TOKENS: ClassVar = Parser.RESERVED_TOKENS | _NEVER_NAMES

    def raise_error(self, message: str, token: Token | None = None) -> None:
        """sqlglot's error as a diagnostic."""
        sign = message.removeprefix("Expecting ").removeprefix("Expected ")
        expected = f'"{sign}"' if sign in ("(", ")", "[", "]") else ""
        if message.startswith("Expected table name"):
            expected = "a stream or a relation"
        self.refuse(errors.unexpected(self.span(token or self._curr), expected))

    def _parse_statement(self) -> exp.Expr | None:
        first = self._curr
        if self._index == 0:
            if self._match(TokenType.CREATE):
                return self._parse_declaration(first)
            if self._match_text_seq("REGISTER"):
                return self._parse_registration(first)
            if self._match_text_seq("DROP"):
                return self._parse_dropped(first)
            if self._match_text_seq("SHOW"):
                return self._parse_shown(first)
            if self._match_texts(("DESCRIBE", "DESC")):
                return self._parse_described(first)
            if self._match_text_seq("INSERT"):
                return self._parse_insert_into(first)
            if self._match(TokenType.SET):
                return self._parse_chronon(first)
        return self._parse_whole_query()

    def _parse_query(self) -> exp.Expr:
        if self._begins_named_operation():
            return self._parse_named_operation()
        query = self._parse_select(nested=True, parse_subquery_alias=False)
        query = self._parse_query_modifiers(self._parse_set_operations(query))
        if not isinstance(query, QUERIES):
            self.refuse(errors.unexpected(self.span(self._curr), "a query"))
        return query

    def _begins_named_operation(self) -> bool:
        names = (TokenType.VAR, TokenType.IDENTIFIER)
        following = self._next.token_type if self._next else None
        return self._curr.token_type in names and following in NAMED_OPERATIONS

    def _parse_named_operation(self) -> exp.Expr:
        """The STREAM prototype's `S1 union S2`: its operands are names, and copies count."""
        query: exp.Expr = self._parse_all_of()
        while self._curr.token_type in NAMED_OPERATIONS:
            kind = exp.Union if self._curr.token_type == TokenType.UNION else exp.Except
            self._advance()
            self._match(TokenType.ALL)
            query = self.expression(kind(this=query, expression=self._parse_all_of(), distinct=False))
        return query

    def _parse_all_of(self) -> exp.Select:
        """A name as the query of all its rows."""
        table = self._parse_table_parts()
        return self.expression(exp.Select(expressions=[exp.Star()], from_=exp.From(this=table)))

    def _parse_select_query(
        self,
        nested: bool = False,
        table: bool = False,
        parse_subquery_alias: bool = True,
        parse_set_operation: bool = True,
    ) -> exp.Expr | None:
        if self._match(TokenType.WITH, advance=False):
            return self._parse_query_with_names()
        if self._begins_stream_query():
            query: exp.Expr | None = self._parse_stream_of()
        elif self._match(TokenType.L_PAREN, advance=False):
            # What follows the parenthesis belongs to the caller.
            return super()._parse_select_query(nested, table, parse_subquery_alias, False)
        elif self._match(TokenType.SELECT, advance=False):
            first = self._curr
            query = self._lifted(super()._parse_select_query(nested, table, parse_subquery_alias, False))
            query = self._mark(query, first) if query else query
        elif not table and self._begins_pivot_query():
            query = self._parse_query_modifiers(self._parse_pivot_query())
        elif self._at_values():
            query = self._parse_query_modifiers(self._parse_values())
        else:
            return None
        return self._parse_set_operations(query) if parse_set_operation and not table else query

    def _parse_query_with_names(self) -> exp.Expr:
        """WITH belongs to the query inside the stream operator, window or parentheses."""
        word, following = self._next, self._tokens[self._index + 2 : self._index + 3]
        is_name = [token.token_type for token in following] in ([TokenType.ALIAS], [TokenType.L_PAREN])
        if word.text.upper() == "RECURSIVE" and not is_name:
            word.token_type = TokenType.RECURSIVE
        names = self._parse_with()
        query = self._parse_query()
        carrier = query
        while isinstance(carrier, (StreamOf, Windowed, exp.Subquery)):
            carrier = carrier.this
        inner = carrier.args.get("with_")
        if names and inner:
            names.set("expressions", [*names.expressions, *inner.expressions])
            names.set("recursive", names.args.get("recursive") or inner.args.get("recursive"))
        if "with_" not in carrier.arg_types:
            self.refuse(errors.unexpected(self.span(self._prev), "a query"))
        carrier.set("with_", names)
        return query

    def _parse_recursive_with_search(self) -> None:
        # sqlglot drops a SEARCH without its clauses.
        return None

    def _parse_wrapped_select(self, table: bool = False) -> exp.Expr | None:
        this = super()._parse_wrapped_select(table)
        return self._with_joins(this) if table else this

    def _parse_paren(self) -> exp.Expr | None:
        first = self._curr
        this = super()._parse_paren()
        if isinstance(this, exp.Paren) and isinstance(this.this, (StreamOf, Windowed, ValueRows)):
            this = exp.Subquery(this=this.this)
        return self._mark(this, first) if isinstance(this, (exp.Paren, exp.Subquery, exp.Tuple)) else this

    def _parse_subquery(self, this: exp.Expr | None, parse_alias: bool = True) -> Any:
        if not this:
            return None
        query = self.expression(exp.Subquery(this=this))
        window = self._parse_stream_window()
        alias = self._parse_table_alias() if parse_alias else None
        window = window or (self._parse_stream_window() if alias else None)
        if window:
            return self.expression(Windowed(this=query, window=window, alias=alias))
        query.set("alias", alias)
        return query

    def _parse_table(
        self,
        schema: bool = False,
        joins: bool = False,
        alias_tokens: Collection[TokenType] | None = None,
        parse_bracket: bool = False,
        is_db_reference: bool = False,
        parse_partition: bool = False,
        consume_pipe: bool = False,
    ) -> exp.Expr | None:
        # In parentheses sqlglot reads a table without its alias tokens, and consumes pipes.
        parenthesized = consume_pipe
        if self._at_lateral():
            return self._parse_lateral_item()
        if parenthesized and self._begins_pivot_query():
            return self._parse_select(nested=True)
        if self._at_values():
            return self._parse_values_in_from(parenthesized)
        if self._at_relation_of():
            return self._parse_relations_of(alias_tokens)
        if self._at_window_table():
            return self._parse_window_table(alias_tokens)
        table = self._parse_windowed_table(
            super()._parse_table(
                schema, joins, alias_tokens, parse_bracket, is_db_reference, parse_partition, consume_pipe
            ),
            parenthesized,
        )
        return self._with_pivots(self._with_pattern(self._with_synchronization(table, alias_tokens)))

    def _parse_windowed_table(self, table: exp.Expr | None, parenthesized: bool) -> exp.Expr | None:
        if isinstance(table, StreamOf) and not parenthesized:
            table = self._parse_subquery(table)
        if isinstance(table, exp.Table) and (window := self._parse_stream_window()):
            alias = table.args.get("alias")
            table.set("alias", None)
            return self.expression(Windowed(this=table, window=window, alias=alias))
        return table

    def _parse_join(
        self,
        skip_join_token: bool = False,
        parse_bracket: bool = False,
        alias_tokens: Collection[TokenType] | None = None,
    ) -> exp.Join | None:
        # After a comma sqlglot only tries to parse, and drops the error.
        if self._match(TokenType.COMMA):
            return self.expression(exp.Join(this=self._parse_table(alias_tokens=alias_tokens)))
        special = self._parse_best_match(alias_tokens) or self._parse_asof(alias_tokens)
        if special := special or self._parse_lateral_view():
            return special
        join = super()._parse_join(skip_join_token, parse_bracket, alias_tokens)
        if join and self._prev.token_type in (TokenType.ON, TokenType.USING):
            self.refuse(errors.unexpected(self.span(self._curr), "a condition"))
        if join and not _has_condition(join):
            self.refuse(errors.unexpected(self.span(self._curr), "ON or USING"))
        return join

    def _parse_alias(self, this: exp.Expr | None, explicit: bool = False) -> exp.Expr | None:
        last, following = self._prev, self._curr
        aliased = super()._parse_alias(this, explicit)
        if isinstance(aliased, exp.Alias) and is_attached(last, following):
            hint = "Write AS between a number and its name."
            self.refuse(errors.not_a_number(self.span(last, following), hint))
        self._refuse_bare_as()
        return aliased

    def _parse_table_alias(self, alias_tokens: Collection[TokenType] | None = None) -> exp.TableAlias | None:
        first, place = self._curr, self._index
        if self._at_clause_of_source():
            return None
        if first.text.upper() in JOINS and self._next.token_type in _JOIN_WORDS:
            self.refuse(errors.not_ours(self.span(first), FOREIGN, hint_for_clause(first.text)))
        alias = super()._parse_table_alias(alias_tokens)
        self._refuse_bare_as()
        is_quoted = first.token_type in (TokenType.ALIAS, TokenType.IDENTIFIER)
        if alias and not is_quoted and (window := bare_window(self._tokens, place, self.text)):
            self.refuse(errors.not_ours(window, BARE, in_brackets(window)))
        return alias

    def _refuse_bare_as(self) -> None:
        if self._prev and self._prev.token_type == TokenType.ALIAS:
            self.refuse(errors.unexpected(self.span(self._curr), "a name"))

    def _parse_group(self, skip_group_by_token: bool = False) -> exp.Group | None:
        group = super()._parse_group(skip_group_by_token)
        if group and self._prev.token_type == TokenType.GROUP_BY:
            self.refuse(errors.unexpected(self.span(self._curr), "a list of expressions"))
        if group and self._words(2) in _WITH_SETS:
            sets = exp.Anonymous(this=self._next.text.upper(), expressions=group.expressions)
            self._advance(2)
            group.set("expressions", [sets])
        return group

    def _parse_csv(self, parse_method: Callable[[], T | None], sep: TokenType = TokenType.COMMA) -> list[T]:
        def item() -> T | None:
            parsed = parse_method()
            if parsed is None and self._prev.token_type == sep:
                self.refuse(errors.unexpected(self.span(self._curr), 'an item after ","'))
            return parsed

        return super()._parse_csv(item, sep)

    def _parse_bracket(self, this: exp.Expr | None = None) -> exp.Expr | None:
        if isinstance(this, exp.Table):
            window = self._parse_stream_window()
            return self.expression(Windowed(this=this, window=window)) if window else this
        return super()._parse_bracket(this)

    def parse_set_operation(
        self, this: exp.Expr | None, consume_pipe: bool = False, intersect_only: bool = False
    ) -> exp.SetOperation | None:
        if self._curr.token_type == TokenType.NATURAL and self._next.token_type in self.SET_OPERATIONS:
            # sqlglot drops it.
            self.refuse(errors.unexpected(self.span(self._curr)))
        if "CORRESPONDING" in self._words(4)[1:] and self._curr.token_type in self.SET_OPERATIONS:
            self.refuse(errors.unexpected(self.span(self._curr), hint="Write UNION BY NAME."))
        operation = _SET_OPERATIONS.get((self._curr.token_type, self._next.text.upper()))
        if operation is None:
            return super().parse_set_operation(this, consume_pipe, intersect_only)
        if intersect_only:
            return None
        self._advance(2)
        right = self._parse_select(nested=True, parse_set_operation=False)
        return self.expression(operation(this=this, expression=right, distinct=False))


def _has_condition(join: exp.Join) -> bool:
    """Whether a join has a condition, or needs none."""
    is_free = str(join.args.get("kind") or "").upper() == "CROSS" or join.args.get("method")
    return bool(is_free or join.args.get("on") or join.args.get("using"))
