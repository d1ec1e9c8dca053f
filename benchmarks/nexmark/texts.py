"""The queries and tables of Nexmark as texts. Standard library only: contenders run in other environments."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
SCHEMAS = {
    "person": "id BIGINT, name STRING, email_address STRING, city STRING, state STRING, date_time TIMESTAMP, "
    "extra STRING",
    "auction": "id BIGINT, item_name STRING, description STRING, initial_bid BIGINT, reserve BIGINT, "
    "date_time TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, extra STRING",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, date_time TIMESTAMP, "
    "extra STRING",
}
COUNT_CHAR = (
    "CREATE FUNCTION count_char (text STRING, part STRING) RETURNS BIGINT LANGUAGE PYTHON "
    "AS 'benchmarks.nexmark.events:count_char'"
)

_OWN_WORDS = {
    "flink": {
        "day": "DATE_FORMAT(`dateTime`, 'yyyy-MM-dd')",
        "minute": "DATE_FORMAT(`dateTime`, 'HH:mm')",
        "windows": "TABLE({name}(TABLE {table}, DESCRIPTOR(`dateTime`), {lengths}))",
    },
    "risingwave": {
        "day": "TO_CHAR(date_time, 'YYYY-MM-DD')",
        "minute": "TO_CHAR(date_time, 'HH24:MI')",
        "windows": "{name}({table}, date_time, {lengths})",
    },
}


def _words(wording: str) -> dict[str, str]:
    """What names in braces stand for."""
    words = _OWN_WORDS[wording]
    tumbling = {"name": "TUMBLE", "lengths": "INTERVAL '10' SECOND"}
    hopping = {"name": "HOP", "lengths": "INTERVAL '2' SECOND, INTERVAL '10' SECOND"}
    windows = {f"{table}s": words["windows"].format(table=table, **tumbling) for table in SCHEMAS}
    return words | windows | {"hops": words["windows"].format(table="bid", **hopping)}


def texts(wording: str) -> dict[str, str]:
    """The queries in the words of flink or risingwave, by name: those that both write alike, and its own."""
    spelled = _for_flink if wording == "flink" else str
    alike = {
        name: spelled(text).format(**_words(wording)) for name, text in queries_in(HERE / "alike.sql").items()
    }
    own = queries_in(HERE / f"{wording}.sql")
    return {name: (alike | own)[name] for name in sorted(alike | own, key=lambda name: int(name[1:]))}


def _for_flink(text: str) -> str:
    """With Flink's names of columns; what are words of its SQL is quoted."""
    return re.sub(r"\bdateTime\b|(?<=AS )(day|minute)\b", r"`\g<0>`", camel(text))


def queries_in(file: Path) -> dict[str, str]:
    """The queries of a file, by their headings."""
    _, *parts = re.split(r"^-- (?=q\d+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    headed = [part.partition("\n") for part in parts]
    return {heading: text.strip().rstrip(";") for heading, _, text in headed}


def camel(text: str) -> str:
    """The columns as Flink's tables have them: dateTime for date_time."""

    def spelled(name: re.Match[str]) -> str:
        return re.sub(r"_([a-z])", lambda match: match[1].upper(), name[0])

    columns = {column.split()[0] for listed in SCHEMAS.values() for column in listed.split(", ")}
    return re.sub(rf"\b({'|'.join(sorted(columns))})\b", spelled, text)
