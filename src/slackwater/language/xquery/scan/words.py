"""The words and signs of XQuery, as regular expressions and as names for error messages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from slackwater.language.xquery.markup import NCNAME, QNAME

NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
STRING = r"""(?:"(?:[^"]|"")*+"|'(?:[^']|'')*+')"""

SKIPPED = re.compile(r"\s+|\(:")
COMMENT_EDGE = re.compile(r"\(:|:\)")

OPERATOR_WORDS = {
    "and": "AND", "or": "OR", "to": "_TO", "div": "TIMES", "idiv": "TIMES", "mod": "TIMES",
    "eq": "COMPARISON", "ne": "COMPARISON", "lt": "COMPARISON", "le": "COMPARISON", "gt": "COMPARISON",
    "ge": "COMPARISON", "is": "COMPARISON", "union": "UNION", "intersect": "INTERSECT",
    "except": "INTERSECT", "for": "_FOR", "let": "_LET", "where": "_WHERE", "return": "_RETURN",
    "ascending": "DIRECTION", "descending": "DIRECTION", "satisfies": "_SATISFIES", "then": "_THEN",
    "else": "_ELSE", "as": "_AS", "at": "_AT", "in": "_IN", "external": "EXTERNAL",
    "on": "_ON",
}  # fmt: skip
"""Kinds of words after an operand, where no name is allowed."""

OPERATOR_PHRASES = (
    (re.compile(r"(?:stable\s+)?order\s+by(?![\w.\-])"), "ORDER_BY"),
    (re.compile(r"empty\s+(?:greatest|least)(?![\w.\-])"), "EMPTY"),
    (re.compile(r"instance\s+of(?![\w.\-])"), "INSTANCE_OF"),
    (re.compile(r"treat\s+as(?![\w.\-])"), "TREAT_AS"),
    (re.compile(r"castable\s+as(?![\w.\-])"), "CASTABLE_AS"),
    (re.compile(r"cast\s+as(?![\w.\-])"), "CAST_AS"),
    (
        re.compile(r"(?:constrained\s+)?(?:(?:left|right|full)\s+(?:outer\s+)?)?bestmatch\s+join(?![\w.\-])"),
        "BEST_MATCH",
    ),
)

BINDERS = {"for": "_FOR", "let": "_LET", "some": "QUANTIFIER", "every": "QUANTIFIER"}
"""Words that begin an expression when a variable follows."""

SIGNS = {
    "(": "_LPAR", ")": "_RPAR", "[": "_LSQB", "]": "_RSQB", ",": "_COMMA", ";": "_SEMI", ":=": "_ASSIGN",
    "=": "_EQUALS", "!=": "COMPARISON", "<": "COMPARISON", "<=": "COMPARISON", ">": "COMPARISON",
    ">=": "COMPARISON", "<<": "COMPARISON", ">>": "COMPARISON", "+": "PLUS", "-": "MINUS", "*": "TIMES",
    "|": "UNION", "/": "SLASH", "//": "DOUBLE_SLASH", ".": "DOT", "..": "DOUBLE_DOT", "@": "_AT_SIGN",
    "{": "_LBRACE", "}": "_RBRACE",
}  # fmt: skip
SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True)))

LITERALS = (
    (re.compile(rf"{NUMBER}[eE][+-]?\d+"), "DOUBLE"),
    (re.compile(r"\d+\.\d*|\.\d+"), "DECIMAL"),
    (re.compile(r"\d+"), "INTEGER"),
    (re.compile(STRING), "STRING"),
)
VARIABLE = re.compile(rf"\$\s*{QNAME}")
WILDCARD = re.compile(rf"\*:{NCNAME}|{NCNAME}:\*|\*")
AXIS = re.compile(rf"{NCNAME}\s*::")
KIND_TEST = re.compile(
    rf"(?:(?:node|text|comment|document-node)\s*\(\s*\)"
    rf"|(?:element|attribute)\s*\(\s*(?:{QNAME}|\*)?\s*\)"
    rf"|processing-instruction\s*\(\s*(?:{NCNAME}|{STRING})?\s*\))"
)
END_TAG = re.compile(rf"</{QNAME}\s*>")
TYPE = re.compile(rf"{QNAME}(?:\s*\(\s*(?:{QNAME}|\*)?\s*\))?[?*+]?")
SINGLE_TYPE = re.compile(rf"{QNAME}\??")
WINDOW = re.compile(
    rf"\|\s*(?:count\s+(?P<count>\d+)"
    rf"|(?:(?P<path>@?{QNAME}(?:\s*/\s*@?{QNAME})*)\s+)?diff\s+(?P<diff>{NUMBER}))"
    rf"(?:\s+step\s+(?P<step>{NUMBER}))?\s*\|"
)
ALMOST_WINDOW = re.compile(
    rf"\|\s*(?:count\s+[\w$+\-.]|(?:@?{QNAME}(?:/@?{QNAME})*\s+)?diff\s+[\w$+\-.])[^|]*\|?"
)

PROLOG = (
    (re.compile(rf"xquery\s+version\s+{STRING}(?:\s+encoding\s+{STRING})?\s*;"), "VERSION"),
    (re.compile(r"declare\s+function(?=\s)"), "DECLARE_FUNCTION"),
    (re.compile(r"declare\s+variable(?=[\s$])"), "DECLARE_VARIABLE"),
    (re.compile(r"declare\s+namespace(?=\s)"), "DECLARE_NAMESPACE"),
    (re.compile(r"""declare\s+default\s+(?:element|function)\s+namespace(?=[\s"'])"""), "DEFAULT_NAMESPACE"),
    (re.compile(r"declare\s+boundary-space\s+(?:preserve|strip)"), "BOUNDARY_SPACE"),
    (re.compile(r"declare\s+default\s+order\s+empty\s+(?:greatest|least)"), "EMPTY_ORDER"),
)
FOREIGN = re.compile(
    r"(?:typeswitch|switch)(?=\s*\()|(?:try|validate|ordered|unordered|map)(?=\s*\{)"
    r"|for\s+(?:tumbling|sliding)\s+window(?=\s+\$)"
    rf"|(?:processing-instruction|namespace)(?=\s*\{{|\s+{NCNAME}\s*\{{)"
)
FOREIGN_CLAUSE = re.compile(r"group\s+by(?=\s+\$)|count(?=\s+\$)")
FOREIGN_PROLOG = re.compile(r"""(?:declare|import)\s+(?:default\s+)?[a-z\-]+(?=[\s"'])""")

OPERANDS = frozenset({
    "NAME", "VARIABLE", "TYPE", "STRING", "INTEGER", "DECIMAL", "DOUBLE", "KIND_TEST", "WINDOW", "DIRECTION",
    "EMPTY", "EXTERNAL", "DOT", "DOUBLE_DOT", "_RPAR", "_RSQB", "_RBRACE", "TAG_EMPTY", "END_TAG", "COMMENT",
    "INSTRUCTION",
})  # fmt: skip
"""After these an operator may follow, but no name."""

UNITS = frozenset({"_RBRACE", "TAG_EMPTY", "END_TAG"})
"""After these a start tag may follow: expressions side by side."""

_SHOWN = {name: f'"{sign}"' for sign, name in SIGNS.items() if name.startswith("_")} | {
    "_RETURN": '"return"', "_SATISFIES": '"satisfies"', "_THEN": '"then"', "_ELSE": '"else"', "_IN": '"in"',
    "_ON": '"on"', "_AT_SIGN": "", "VARIABLE": "a variable", "TYPE": "a type", "NAME": "a name",
    "STRING": "a string", "FUNCTION": "a function", "EXTERNAL": '"external"', "END_TAG": "an end tag",
    "$END": "the end of the query", "_TAG_END": '">"', "TAG_EMPTY": '"/>"', "ATTRIBUTE": "an attribute",
}  # fmt: skip
_ORDER = tuple(_SHOWN)


def expected(terminals: Iterable[str]) -> str:
    """The tokens allowed here as text: "an expression", or the words and signs that matter most."""
    kinds = set(terminals)
    if {"VARIABLE", "INTEGER"} <= kinds:
        words = ["an expression"]
        kinds &= {"_RPAR", "_RBRACE"}
    elif {"NAME", "KIND_TEST"} <= kinds:
        return "a name"
    else:
        words = []
        if "AND" in kinds:
            words.append("an operator")
            kinds -= {"_EQUALS", "_LSQB", "_LBRACE"}
    words = [*(_SHOWN[name] for name in _ORDER if name in kinds and _SHOWN[name]), *words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
