"""Any file is read or refused with diagnostics; nothing else happens."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from laws.effort import SEED
from slackwater.algebra import Kind
from slackwater.algebra.types import DOUBLE, INT, STRING
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.engines.engine import engines
from slackwater.scripts.data import Column, Table, read
from slackwater.scripts.entries import read_script
from slackwater.testing.cqt import parse
from slackwater.testing.report import report
from slackwater.testing.runner import run

STORIES = sorted((Path(__file__).parents[1] / "queries").rglob("*.cqt"))
PIECES = [
    "|",
    "#",
    '"',
    "\\",
    "\n",
    "\n\n",
    "'",
    "null",
    "-1",
    "9" * 30,
    "é",
    "\0",
    "\r",
    "\t",
    "case",
    "at 1",
    "(",
    "key",
]
TABLE = Table("S", Kind.STREAM, (Column("A", INT), Column("B", DOUBLE), Column("C", STRING)))


def damaged(content: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        content = content[:at] + chance.choice(PIECES) + content[at + chance.choice([0, 0, 1, 5]) :]
    return content


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(150))
def test_a_damaged_story_is_run_or_refused(seed: int) -> None:
    chance = random.Random(seed + SEED)
    content = damaged(chance.choice(STORIES).read_text(encoding="utf-8"), chance)
    with suppress(SlackwaterError):
        for case in parse(Text("story.cqt", content)):
            assert report(run(case, engines(), seed))


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(150))
def test_a_damaged_data_file_or_script_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed + SEED)
    (tmp_path / "data").write_text(damaged("i,i,f,c9\n1,1,1.5,abc\n2,2,2.5,def\n", chance), encoding="utf-8")
    script = "table : register stream S (A integer);\nsource : data\nquery : select * from S;\ndest : out\n"
    with suppress(SlackwaterError):
        read(tmp_path / "data", TABLE)
    with suppress(SlackwaterError):
        read_script(Text("s", damaged(script, chance)))
