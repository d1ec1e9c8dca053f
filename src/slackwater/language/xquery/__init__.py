"""XQuery: text -> syntax tree, and back."""

from slackwater.language.xquery.parse import parse

__all__ = ["parse"]
