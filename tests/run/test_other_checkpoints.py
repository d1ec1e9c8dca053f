"""What a checkpoint cannot go on with, and the text that says why."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from run.test_checkpoints_outlive_code import GROUPS, JOINED, LAST, TOTAL, Answers, R, S, request, run
from slackwater.algebra import Relation, Schema, Stream
from slackwater.algebra.types import BIGINT, INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.bind.catalog import Catalog, Source
from slackwater.run.checkpoint.agreement import PLANS, Request, agree
from slackwater.run.checkpoint.files import write_json
from slackwater.run.checkpoint.store import FORMAT, stored_identity
from slackwater.storage.locate import location

STATE = Path("state")


def catalog(stream: Schema = S, relation: Schema = R, key: tuple[str, ...] = ("a",)) -> Catalog:
    sources = Catalog()
    sources.stream("S", stream)
    sources.relation("R", relation, key)
    return sources


def start(queries: dict[str, str], sources: Catalog | None = None) -> None:
    agree(STATE, request(queries, sources), may_change=True)


def with_source(source: Source, *, changelogs: list[str]) -> Request:
    """A new query that reads a source."""
    sources = catalog()
    sources.declare(source)
    text = "SELECT COUNT(*) AS n FROM " + source.name
    return replace(request({"groups": GROUPS, "new": text}, sources), changelogs=changelogs)


def rewrite(change: Callable[[dict[str, object]], None]) -> None:
    content = stored_identity(location(STATE))
    assert content is not None
    change(content[PLANS][0]["plan"])
    write_json(location(STATE) / "query.json", {"format": FORMAT, **content})
    start({"groups": GROUPS})


def ended() -> None:
    run(STATE, {"groups": GROUPS}, range(2, LAST), Answers())
    start({"groups": GROUPS, "total": TOTAL})


CASES: dict[str, Callable[[], object]] = {
    "other-query": lambda: start({"groups": JOINED}),
    "other-queries": lambda: agree(STATE, request({"total": TOTAL, "joined": JOINED})),
    "added-query": lambda: agree(STATE, request({"groups": GROUPS, "total": TOTAL})),
    "other-type": lambda: start({"groups": GROUPS}, catalog(Schema.of(a=BIGINT, c=STRING))),
    "new-column": lambda: start({"groups": GROUPS}, catalog(Schema.of(a=INT, c=STRING, d=INT))),
    "missing-column": lambda: start({"groups": GROUPS}, catalog(relation=Schema.of(a=INT))),
    "other-key": lambda: start({"groups": GROUPS}, catalog(key=("a", "v"))),
    "other-order": lambda: start({"groups": GROUPS}, catalog(Schema.of(c=STRING, a=INT))),
    "other-rows": lambda: agree(STATE, replace(request({"groups": GROUPS}), changelogs=[])),
    "no-source": lambda: agree(
        STATE, replace(request({"groups": GROUPS}), declared={"S": Source(Stream("S", S))})
    ),
    "new-changes": lambda: agree(STATE, replace(request({"groups": GROUPS}), changing=["groups"])),
    "later-version": lambda: rewrite(lambda plan: plan.update(version=7)),
    "unknown-step": lambda: rewrite(lambda plan: plan["steps"][0]["step"].update({"is": "pivot"})),  # type: ignore[index]
}
ADDED: dict[str, Callable[[], object]] = {
    "at-the-end": ended,
    "new-source": lambda: agree(
        STATE, with_source(Source(Stream("T", S)), changelogs=["R"]), may_change=True
    ),
    "punctuations": lambda: agree(
        STATE, with_source(Source(Stream("S", S), options={"punctuation": "c"}), changelogs=["R"]),
        may_change=True,
    ),
}  # fmt: skip


def check(name: str, case: Callable[[], object]) -> None:
    run(STATE, {"groups": GROUPS}, range(2), Answers())
    with pytest.raises(EngineError) as caught:
        case()
    golden = Path(__file__).parent / "errors" / f"{name}.txt"
    if os.environ.get("SLACKWATER_GOLDEN"):
        golden.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_text_of_a_checkpoint_of_something_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check(f"foreign-checkpoint-{name}", CASES[name])


@pytest.mark.parametrize("name", ADDED)
def test_the_text_of_a_query_that_cannot_be_added(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check(f"cannot-add-query-{name}", ADDED[name])


def test_a_relation_whose_rows_have_an_end_cannot_be_read_by_a_query_that_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    until = Source(Relation("R", R), options={"until": "v"})
    first = with_source(until, changelogs=[])
    alone = replace(first, queries={"groups": GROUPS}, plans={"groups": first.plans["groups"]})
    agreement = agree(STATE, alone)
    STATE.mkdir()
    agreement.write(STATE)
    (STATE / "epochs").mkdir()
    facts = {"seen": {}, "watermarks": {}}
    write_json(STATE / "epochs" / "000000000.json", {"number": 0, "lo": 0, "hi": 5, "facts": facts})
    with pytest.raises(EngineError, match='Rows of relation "R" have an end of their own'):
        agree(STATE, first, may_change=True)


def test_a_refused_start_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, {"groups": GROUPS}, range(2), Answers())
    before = (tmp_path / "query.json").read_bytes()
    with pytest.raises(EngineError):
        agree(tmp_path, request({"groups": JOINED}), may_change=True)
    assert (tmp_path / "query.json").read_bytes() == before
