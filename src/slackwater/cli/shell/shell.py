"""A session in which statements are executed one by one; an error ends a statement, not the session."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError
from slackwater.cli import problems
from slackwater.cli.output import print_bug, print_diagnostics
from slackwater.cli.shell.statements import COMMANDS

if TYPE_CHECKING:
    from slackwater.run.query import Query
    from slackwater.session import Session

_AT = re.compile(
    r"(?:(?:TIMESTAMP|DATE)\s+(?='))?('(?:[^']|'')*'|[^'\s]\S*)\s+(.*)", re.DOTALL | re.IGNORECASE
)


@dataclass(slots=True)
class Shell:
    """Executes statements in a session, and prints what they give."""

    session: Session
    out: TextIO
    is_terminal: bool = False
    """Whether somebody can press Ctrl-C: a subscription then waits for more rows."""
    failures: int = 0

    def execute(self, statement: str) -> bool:
        """Execute a statement; whether the shell goes on."""
        if statement.lower() in ("\\q", "quit", "exit"):
            return False
        try:
            self._execute(statement)
        except SlackwaterError as error:
            self.failures += 1
            print_diagnostics(error.diagnostics)
        except KeyboardInterrupt:
            self._print("interrupted")
        except BrokenPipeError:
            raise
        except Exception as bug:
            self.failures += 1
            print_bug(bug)
        return True

    def _execute(self, statement: str) -> None:
        word = statement.split()[0]
        rest = statement[len(word) :].strip()
        commands: dict[str, Callable[[str], None]] = {
            "EXPLAIN": lambda text: self._print(self.session.query(text).explain()),
            "SUBSCRIBE": self._subscribe,
            "AT": self._at,
        }
        if word.startswith("\\"):
            self._help(word)
        elif word.upper() in commands:
            commands[word.upper()](rest)
        else:
            self._sql(statement)

    def _sql(self, text: str) -> None:
        for query in self.session.sql(text):
            if query.sinks:
                self._write(query)
            elif query.bound.listing is not None:
                for cells in query.bound.listing:
                    self._print(" ".join(cells))
            else:
                self._print(str(query.result()))

    def _write(self, query: Query) -> None:
        """Write the answer of a sink; if that fails, the sink can be declared again."""
        try:
            self.session.start(query, follow=False).await_termination()
        except SlackwaterError:
            name = query.name.replace('"', '""')
            self.session.sql(f'DROP SINK "{name}"')
            raise
        self._print(f"{query.name} is written")

    def _at(self, text: str) -> None:
        parts = _AT.fullmatch(text)
        if parts is None:
            raise EngineError(_unknown_command("AT", "AT instant SELECT …"))
        instant = parts[1].strip("'")
        is_number = instant.removeprefix("-").isdigit() and not self.session.clock.calendar
        self._print(str(self._query(parts[2]).at(int(instant) if is_number else instant)))

    def _subscribe(self, text: str) -> None:
        from slackwater.sinks.driver import Console

        running = self._query(text).start(Console(stream=self.out), follow=self.is_terminal)
        try:
            running.await_termination()
        except KeyboardInterrupt:
            running.stop()

    def _query(self, text: str) -> Query:
        return self.session.query(text)

    def _help(self, word: str) -> None:
        if word != "\\?":
            raise EngineError(_unknown_command(word, "\\? for a list"))
        width = max(map(len, COMMANDS))
        for command, meaning in COMMANDS.items():
            self._print(f"{command:<{width}}  {meaning}")

    def _print(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()


def _unknown_command(command: str, instead: str) -> Diagnostic:
    return problems.UNKNOWN_COMMAND.at(command=command, instead=instead)
