"""Reading statements from a terminal: several lines, a history, and completion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slackwater.bind.functions import known_functions
from slackwater.cli.shell.statements import is_complete
from slackwater.language.cql.words import KEYWORDS, PHRASES, RESERVED
from slackwater.session import Session

_WORDS = (
    "AT", "DESCRIBE", "DROP", "EXPLAIN", "FORMAT", "FUNCTION", "INSERT", "MODE", "PIVOT", "RANGE", "RELATION",
    "REPLACE", "ROWS", "SHOW", "SINK", "STREAM", "SUBSCRIBE", "TIME", "UNPIVOT", "VIEW",
)  # fmt: skip


def typed(session: Session) -> Iterator[str]:
    """What is typed, a complete text at a time, until the end of input; Ctrl-C discards a text."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(lambda: words(session), ignore_case=True)
    prompt = PromptSession(
        history=_history(),
        completer=completer,
        complete_while_typing=False,
        multiline=True,
        key_bindings=_bindings(),
        prompt_continuation=lambda width, line, wrapped: "...> ".rjust(width),
    )
    while True:
        try:
            yield prompt.prompt("sql> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def words(session: Session) -> list[str]:
    """What may be completed: words of SQL, functions, and the names and columns of the session."""
    columns = {column for name in session.names for column, _ in session.schema_of(name)}
    functions = [*known_functions(), *session.functions]
    names = {*session.names, *session.sinks, *columns, *functions}
    return sorted({*RESERVED, *KEYWORDS, *PHRASES, *_WORDS, *names})


def _bindings() -> Any:
    """Enter executes a complete text, and begins a new line in any other."""

    from prompt_toolkit.key_binding import KeyBindings

    def enter(event: Any) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    bindings = KeyBindings()
    bindings.add("enter")(enter)
    return bindings


def _history() -> Any:
    """The history of this user, in a file; in memory if that cannot be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    file = Path(home) / "slackwater" / "history"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
