"""Parsing SyncSQL: relations of streams, their synchronization, STREAMED and COMPLETE, infix MOD.

R(S) SYNC BY Sync    ℜ[Sync](S)    HotRooms SYNC BY EVERY 5 MINUTES OFFSET 1 MINUTE
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import FROM_ITEMS, OUTPUTS, Every, OutputList, RelationOf, Synchronized
from slackwater.language.cql.streams import StreamOperatorParser

_RELATION_OF = ("r", "ℜ")
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_VALUES = (
    TokenType.NUMBER, TokenType.STRING, TokenType.L_PAREN, TokenType.INTERVAL, TokenType.CASE, TokenType.NULL,
    TokenType.TRUE, TokenType.FALSE, TokenType.IDENTIFIER,
)  # fmt: skip
_ENDS_ITEM = (TokenType.FROM, TokenType.COMMA)
_OPERATIONS: dict[TokenType, type[exp.SetOperation]] = {
    TokenType.UNION: exp.Union,
    TokenType.INTERSECT: exp.Intersect,
    TokenType.EXCEPT: exp.Except,
}


class SynchronizationParser(StreamOperatorParser):
    """The part of the parser for SyncSQL."""

    _OPERAND_STARTS: ClassVar = {*(Parser.ID_VAR_TOKENS - Parser.FACTOR.keys()), *_VALUES} - {TokenType.IS}
    """The tokens that begin an operand."""
    _ITEM_STARTS: ClassVar = {*_OPERAND_STARTS, TokenType.DISTINCT, TokenType.NOT, TokenType.EXISTS}
    """The tokens that begin an item of a select list."""

    def _at_relation_of(self, ahead: int = 0) -> bool:
        """Whether `R(` or `R[Sync](` follows; `R [NOW]` is a stream called R with a window."""
        tokens = self._tokens[self._index + ahead : self._index + ahead + 5]
        if not tokens or tokens[0].token_type != TokenType.VAR or tokens[0].text.lower() not in _RELATION_OF:
            return False
        following = [token.token_type for token in tokens[1:]]
        if following[:1] == [TokenType.L_PAREN]:
            return True
        brackets = [TokenType.L_BRACKET, TokenType.R_BRACKET, TokenType.L_PAREN]
        return following[0:1] + following[2:4] == brackets and following[1] in _NAMES

    def _parse_relations_of(self, alias_tokens: Collection[TokenType] | None) -> exp.Expr | None:
        """R(S), or R(S) ∪ R(T): copies count, as between the names of two streams."""
        relation = self._parse_relation_item(alias_tokens)
        while operation := _OPERATIONS.get(self._curr.token_type):
            ahead = 2 if self._next.token_type == TokenType.ALL else 1
            if not self._at_relation_of(ahead):
                break
            self._advance(ahead)
            sides = (_all_of(relation), _all_of(self._parse_relation_item(alias_tokens)))
            both = self.expression(operation(this=sides[0], expression=sides[1], distinct=False))
            relation = self.expression(exp.Subquery(this=both))
        return relation

    def _parse_relation_item(self, alias_tokens: Collection[TokenType] | None) -> exp.Expr | None:
        relation = self._parse_relation_of()
        if alias := self._parse_table_alias(alias_tokens or self.TABLE_ALIAS_TOKENS):
            relation.set("alias", alias)
        return self._with_synchronization(relation, alias_tokens)

    def _parse_relation_of(self) -> exp.Expr:
        first = self._curr
        self._advance()
        by = None
        if self._match(TokenType.L_BRACKET):
            by = self._parse_synchronization_stream()
            self._match(TokenType.R_BRACKET)
        self._expect(TokenType.L_PAREN, "(")
        relation = RelationOf(this=self._parse_of())
        self._expect(TokenType.R_PAREN, ")")
        self._mark(relation, first)
        return relation if by is None else self._mark(Synchronized(this=relation, by=by), first)

    def _parse_of(self) -> exp.Expr:
        """What R takes: a name, or a query."""
        if self._match(TokenType.R_PAREN, advance=False):
            self.refuse(errors.unexpected(self.span(self._curr), "a stream, a relation or a query"))
        if self._curr.token_type in (*_NAMES, *self.ID_VAR_TOKENS) and not self._begins_stream_query():
            table = self._parse_table_parts()
            if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
                return table
            self.refuse(errors.unexpected(self.span(self._curr), "a stream, a relation or a query"))
        return self.expression(exp.Subquery(this=self._parse_query()))

    def _at_synchronization(self) -> bool:
        return self._curr.text.upper() == "SYNC" and self._next.text.upper() == "BY"

    def _with_synchronization(
        self, table: exp.Expr | None, alias_tokens: Collection[TokenType] | None
    ) -> exp.Expr | None:
        """The source with the SYNC BY that follows it, before or after its alias."""
        if table is None or not self._match_text_seq("SYNC", "BY"):
            return table
        by = self._parse_every() or self._parse_synchronization_stream()
        alias = table.args.get("alias")
        table.set("alias", None)
        synchronized = self.expression(Synchronized(this=table, by=by))
        synchronized.set("alias", alias or self._parse_table_alias(alias_tokens or self.TABLE_ALIAS_TOKENS))
        if self._at_synchronization():
            self.refuse(errors.repeated_clause(self.span(self._curr, self._next), "SYNC BY"))
        return synchronized

    def _parse_synchronization_stream(self) -> exp.Expr:
        if self._curr.token_type not in (*_NAMES, *self.ID_VAR_TOKENS):
            self.refuse(errors.unexpected(self.span(self._curr), "a synchronization stream, or EVERY"))
        name = self._parse_id_var(any_token=False)
        return name or self.refuse(errors.unexpected(self.span(self._curr), "a synchronization stream"))

    def _parse_every(self) -> Every | None:
        first, following = self._curr, self._next.token_type
        lengths = (TokenType.NUMBER, TokenType.STRING, TokenType.INTERVAL, TokenType.DOT, TokenType.DASH)
        if following not in lengths or not self._match_text_seq("EVERY"):
            return None
        period = self._parse_length(positive=True, in_brackets=False)
        offset = self._parse_length(in_brackets=False) if self._match(TokenType.OFFSET) else None
        return self._mark(Every(period=period, offset=offset), first)

    def _at_clause_of_source(self) -> bool:
        """Whether the next word is no alias: SYNC BY and AT FULL POINTS follow a source."""
        return self._at_synchronization() or (
            self._curr.text.upper() == "AT" and self._next.text.upper() == "FULL"
        )

    def _match_text_seq(self, *texts: str, advance: bool = True) -> bool:
        # sqlglot reads `AT name` after a table.
        if texts == ("AT",) and self._at_clause_of_source():
            return False
        return super()._match_text_seq(*texts, advance=advance)

    def _at_output(self) -> bool:
        """Whether STREAMED or COMPLETE is not a column but the form of the answer: an item follows it."""
        if self._curr.token_type != TokenType.VAR or self._curr.text.lower() not in OUTPUTS:
            return False
        if self._next.token_type == TokenType.STAR:
            after = self._tokens[self._index + 2 : self._index + 3]
            return bool(after) and after[0].token_type in _ENDS_ITEM
        return self._next.token_type in self._ITEM_STARTS

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        if not self._at_output():
            return super()._parse_projections()
        first = self._curr
        self._advance()
        distinct = self._match(TokenType.DISTINCT)
        items, excluded = super()._parse_projections()
        if not items:
            self.refuse(errors.unexpected(self.span(self._curr), "a select list"))
        listed = OutputList(kind=first.text.lower(), expressions=items, distinct=distinct)
        return [self._mark(listed, first, first)], excluded

    def _lifted(self, query: exp.Expr | None) -> exp.Expr | None:
        """SELECT STREAMED L FROM … is a SELECT with a modifier."""
        items = query.expressions if isinstance(query, exp.Select) else []
        if query is not None and len(items) == 1 and isinstance(items[0], OutputList):
            listed = items[0]
            query.set("expressions", listed.expressions)
            if listed.args.get("distinct"):
                query.set("distinct", exp.Distinct())
            output = exp.Var(this=listed.args["kind"].upper()).update_positions(listed)
            query.set("operation_modifiers", [output])
        return super()._lifted(query)

    def _parse_factor_operand(self) -> exp.Expr | None:
        operand = super()._parse_factor_operand()
        if (
            operand is not None
            and self._curr.token_type == TokenType.VAR
            and self._curr.text.lower() == "mod"
            and (self._next.token_type in self._OPERAND_STARTS or self._next.token_type == TokenType.DASH)
        ):
            # `a MOD 2` is `a % 2`.
            self._curr.token_type = TokenType.MOD
        return operand

    def _with_joins(self, item: exp.Expr | None) -> exp.Expr | None:
        """A source in parentheses with the joins that follow it."""
        if isinstance(item, FROM_ITEMS):
            for join in self._parse_joins():
                item.append("joins", join)
        return item


def _all_of(source: exp.Expr | None) -> exp.Select:
    """The query of all rows of a source."""
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))
