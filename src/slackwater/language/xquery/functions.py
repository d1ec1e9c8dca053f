"""The functions a query may call, and with how many arguments."""

from __future__ import annotations

FUNCTIONS: dict[str, tuple[int, int | None]] = {
    # Aggregates (thesis 3.8.1).
    "count": (1, 1), "sum": (1, 2), "avg": (1, 1), "min": (1, 1), "max": (1, 1),
    # Sequences.
    "empty": (1, 1), "exists": (1, 1), "distinct-values": (1, 1), "zero-or-one": (1, 1),
    "exactly-one": (1, 1), "one-or-more": (1, 1), "subsequence": (2, 3), "reverse": (1, 1),
    "insert-before": (3, 3), "remove": (2, 2), "index-of": (2, 2), "deep-equal": (2, 2), "data": (0, 1),
    "head": (1, 1), "tail": (1, 1), "unordered": (1, 1),
    # Truth.
    "not": (1, 1), "boolean": (1, 1), "true": (0, 0), "false": (0, 0),
    # Numbers.
    "number": (0, 1), "abs": (1, 1), "round": (1, 1), "floor": (1, 1), "ceiling": (1, 1),
    "round-half-to-even": (1, 2),
    # Texts.
    "string": (0, 1), "concat": (2, None), "contains": (2, 2), "starts-with": (2, 2), "ends-with": (2, 2),
    "string-length": (0, 1), "substring": (2, 3), "substring-before": (2, 2), "substring-after": (2, 2),
    "string-join": (1, 2), "normalize-space": (0, 1), "upper-case": (1, 1), "lower-case": (1, 1),
    "translate": (3, 3),
    "codepoints-to-string": (1, 1), "string-to-codepoints": (1, 1),
    # Nodes.
    "name": (0, 1), "local-name": (0, 1), "namespace-uri": (0, 1), "root": (0, 1),
    # The focus.
    "position": (0, 0), "last": (0, 0),
    "error": (0, 3),
}  # fmt: skip
"""Name -> the least and the most arguments; None means any number."""

PASSING = frozenset({
    "zero-or-one", "exactly-one", "one-or-more", "reverse", "subsequence", "head", "tail", "unordered",
    "insert-before", "remove",
})  # fmt: skip
"""Functions that give items they are given."""
GIVING_NODES = PASSING | {"root"}

TYPES = (
    "xs:string", "xs:boolean", "xs:decimal", "xs:integer", "xs:double", "xs:untypedAtomic",
    "xs:int", "xs:long", "xs:short", "xs:byte", "xs:nonNegativeInteger",
    "xs:positiveInteger", "xs:unsignedInt", "xs:unsignedLong", "xs:numeric", "xs:anyAtomicType",
)  # fmt: skip
CASTS = tuple(name for name in TYPES if name not in ("xs:numeric", "xs:anyAtomicType"))
"""Types that a value can be cast to; each is a function of one argument, too."""

KINDS = (
    "item", "node", "element", "attribute", "text", "comment", "processing-instruction", "document-node",
    "empty-sequence",
)  # fmt: skip
"""Types of items that are not values, each with parentheses."""

INPUTS = {"stream": "stream", "doc": "doc", "document": "doc"}
PREFIXES = {
    "fn": "http://www.w3.org/2005/xpath-functions",
    "xs": "http://www.w3.org/2001/XMLSchema",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "local": "http://www.w3.org/2005/xquery-local-functions",
    "udf": "urn:slackwater:udf",
}
"""Prefixes that need no declaration; `udf` marks a user's own functions (thesis 3.8.1.1)."""
