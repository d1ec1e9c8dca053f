"""The statements in what was typed: each ends with a semicolon, a command of the shell with its line."""

from __future__ import annotations

from slackwater.language.cql.lexemes import lexemes

_OPENING = ("'", '"', "`", "/*")
COMMANDS = {
    "\\q": "end the shell",
    "\\?": "show this list",
    "SHOW STREAMS | RELATIONS | VIEWS | SINKS | FUNCTIONS | TABLES;": "list what is declared",
    "DESCRIBE name | query;": "the columns of a stream, relation, view or query",
    "EXPLAIN query;": "the plan of a query",
    "AT instant query;": "the rows of the answer at an instant",
    "SUBSCRIBE query;": "print changes as they come; Ctrl-C stops",
    "query;": "the whole answer over the rows that are there",
    "CREATE [OR REPLACE] …;": "declare a stream, relation, view, sink or function",
    "DROP … [IF EXISTS] name;": "remove one that nothing uses",
}


def split(text: str) -> tuple[list[str], str]:
    """The complete statements of a text, without their semicolons, and what follows them."""
    statements: list[str] = []
    part = ""
    for lexeme in lexemes(text):
        if lexeme.text in _OPENING:  # never closed: the rest is inside
            part += text[lexeme.start :]
            break
        if lexeme.text == ";" or (lexeme.text == "\n" and part.lstrip().startswith("\\")):
            statements.append(part.strip())
            part = ""
        elif part.strip() or not lexeme.is_comment:  # a comment before a command is not it
            part += lexeme.text
    return [statement for statement in statements if statement], part.strip()


def is_complete(text: str) -> bool:
    """Whether what was typed is to be executed, and not to be continued on another line."""
    _, rest = split(text)
    return not rest or rest.startswith("\\")
