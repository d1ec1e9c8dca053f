"""Parsing what names declarations: DROP, SHOW and DESCRIBE."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from slackwater.language.cql import errors
from slackwater.language.cql.nodes import DECLARED_KINDS, Describe, Drop, Show
from slackwater.language.cql.sinks import QUERY_STARTS, SinkParser

_KINDS = tuple(kind.upper() for kind in DECLARED_KINDS)
_LISTS = (*(f"{kind}S" for kind in _KINDS), "TABLES")


class CatalogParser(SinkParser):
    """The part of the parser for statements about declarations; the first word is already consumed."""

    def _parse_dropped(self, first: Token) -> exp.Expr:
        """DROP and what it removes."""
        if not self._match_texts(_KINDS):
            self.refuse(errors.unsupported_statement(self.span(first, self._curr or first)))
        kind = self._prev.text.lower()
        exists = self._match_text_seq("IF", "EXISTS")
        name = self._parse_new_name(f"a {kind}")
        return self._mark(Drop(kind=kind, this=name, exists=bool(exists)), first)

    def _parse_shown(self, first: Token) -> exp.Expr:
        """SHOW and what it lists."""
        if not self._match_texts(_LISTS):
            self.refuse(errors.unexpected(self.span(self._curr), f"{', '.join(_LISTS[:-1])} or {_LISTS[-1]}"))
        return self._mark(Show(kind=self._prev.text.lower()), first)

    def _parse_described(self, first: Token) -> exp.Expr:
        """DESCRIBE and a name or a query."""
        is_query = self._curr.text.upper() in QUERY_STARTS
        described = self._parse_whole_query() if is_query else self._parse_new_name("a name or a query")
        return self._mark(Describe(this=described), first)
