"""Mobile code: functions in WebAssembly compute within limits, in CQL and XQuery, and do nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path

import pytest

from globe.test_compute import task
from globe.test_flight import start as start
from golden import golden
from slackwater.algebra.users.mobile import Refused, calls, install, modules
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.cli.app import app
from slackwater.engines.epochs import frame_of
from slackwater.globe import connect
from slackwater.globe.compute.computation import START, Forward
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.make import computation
from slackwater.globe.compute.rows import source_of
from slackwater.globe.mobile.modules import install_published, published_module
from slackwater.globe.mobile.resolve import resolved
from slackwater.globe.model import Published, Statistics

wasmtime = pytest.importorskip("wasmtime", reason="the extra [wasm] is not installed")
ERRORS = Path(__file__).parent / "mobile_errors"

HALF = '(module (func (export "half") (param f64) (result f64) local.get 0 f64.const 2 f64.div))'
COUNTER = """(module (global $n (mut i64) (i64.const 0))
  (func (export "next") (param i64) (result i64)
    (global.set $n (i64.add (global.get $n) (local.get 0))) (global.get $n)))"""
ECHO = """(module (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) i32.const 64)
  (func (export "twice") (param i32 i32) (result i64)
    (memory.copy (i32.add (local.get 0) (local.get 1)) (local.get 0) (local.get 1))
    (i64.or (i64.shl (i64.extend_i32_u (local.get 0)) (i64.const 32))
            (i64.extend_i32_u (i32.mul (local.get 1) (i32.const 2))))))"""
BAD = {
    "import": '(module (import "wasi" "exit" (func)) (func (export "f") (result f64) f64.const 1))',
    "signature": '(module (func (export "f") (param f32) (result f64) f64.const 1))',
    "memory": '(module (memory 1000) (func (export "f") (result f64) f64.const 1))',
    "start": '(module (func $s (loop (br 0))) (start $s) (func (export "f") (result f64) f64.const 1))',
}
FAILING = {
    "trap": '(module (func (export "f") (param f64) (result f64) unreachable))',
    "loop": '(module (func (export "f") (param f64) (result f64) (loop (br 0)) f64.const 1))',
    "grow": """(module (memory 1) (func (export "f") (param f64) (result f64)
        (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable))""",
    "recursion": '(module (func $f (export "f") (param f64) (result f64) (call $f (local.get 0))))',
}


def compiled(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(text))


def called(text: str, name: str, *values: object) -> object:
    return calls.called(calls.name_of(name, install(compiled(text))), *values)


def test_functions_compute_over_numbers_and_texts() -> None:
    assert called(HALF, "half", 5.0) == 2.5
    assert called(ECHO, "twice", "aé") == "aéaé"


def test_a_value_depends_on_the_arguments_alone() -> None:
    assert [called(COUNTER, "next", 5) for _ in range(3)] == [5, 5, 5]


@pytest.mark.parametrize("name", BAD)
def test_a_module_that_could_do_more_is_refused(name: str) -> None:
    with pytest.raises(EngineError) as caught:
        published_module(compiled(BAD[name]), "P")
    text = str(caught.value.diagnostics[0]).replace(modules.digest_of(compiled(BAD[name])), "0" * 16) + "\n"
    assert text == golden(ERRORS / f"bad-module-{name}.txt", text)


@pytest.mark.parametrize("content", [b"", b"\0asm junk", b"x" * 300_000, b"\0asm\1\0\0\0" + b"\xff" * 50])
def test_bytes_that_are_no_module_are_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        install(content)


@pytest.mark.parametrize("name", FAILING)
def test_a_call_that_takes_too_much_fails(name: str) -> None:
    with pytest.raises(Refused) as caught:
        called(FAILING[name], "f", 1.0)
    text = str(caught.value) + "\n"
    assert text == golden(ERRORS / f"failing-{name}.txt", text)


def test_a_text_outside_of_the_memory_is_refused() -> None:
    wide = ECHO.replace("(i32.mul (local.get 1) (i32.const 2))", "(i32.const 70000)")
    with pytest.raises(Refused, match="outside of its memory"):
        called(wide, "twice", "a")
    with pytest.raises(Refused, match="outside of the memory"):
        called(ECHO.replace("i32.const 64)", "i32.const -5)"), "twice", "abcdefgh")


def test_what_is_called_wrongly_is_refused() -> None:
    digest = install(compiled(HALF))
    for name, values in (("half", ()), ("other", (1.0,))):
        with pytest.raises(Refused):
            modules.call(digest, name, values)
    with pytest.raises(Refused, match="is not at this peer"):
        calls.called("f_0000000000000000", 1.0)
    with pytest.raises(AttributeError):
        calls.__getattr__("nothing")


def test_texts_have_the_digest_of_a_module() -> None:
    digest = install(compiled(HALF))
    assert (
        resolved("SELECT HALF(v) AS h FROM s", "cql", [digest])
        == f"SELECT HALF_{digest.upper()}(v) AS h FROM s"
    )
    query = 'for $p in stream("s")/a/b return <h>{ call-module("half", $p/v) }</h>'
    assert f'call-module("half_{digest}", $p/v)' in resolved(query, "xquery", [digest])
    with pytest.raises(EngineError) as caught:
        resolved("SELECT v FROM s", "cql", [digest])
    text = str(caught.value.diagnostics[0]).replace(digest, "0" * 16) + "\n"
    assert text == golden(ERRORS / "unused-module.txt", text)


def test_a_module_with_another_content_than_its_name_says_is_refused() -> None:
    changed = replace(published_module(compiled(HALF), "P"), schema="AAAA")
    with pytest.raises(EngineError) as caught:
        install_published(changed)
    text = str(caught.value.diagnostics[0]).replace(changed.id, "module_" + "0" * 16) + "\n"
    assert text == golden(ERRORS / "changed-module.txt", text)


READINGS = "CREATE STREAM readings (room INT, t DOUBLE) TIME at INT"


def test_a_subscription_brings_its_module(start, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """P4 ── SP3 ── P0: the function of P0's user runs at SP3."""
    from typer.testing import CliRunner

    middle = start("SP3", super=True)
    joined = {"join": (middle.address,), "links": (("SP3", 1e7),), "operators": ()}
    source, end = start("P4", **joined), start("P0", **joined)
    readings = Published("readings", "P4", "rows", READINGS, Statistics(1, 8))
    connect(source.address).publish(readings)
    xml = Published("xs", "P4", "xml", "", Statistics(1, 8), "/xs/x")
    connect(source.address).publish(xml)
    subscriber, code = connect(end.address), tmp_path / "half.wasm"
    code.write_bytes(compiled(HALF))
    query = "SELECT room, half(t) AS h FROM readings WHERE half(t) > 10"
    options = ["--name", "hot", "--module", str(code), "--at", end.address, "--detach"]
    answer = CliRunner().invoke(app, ["subscribe", query, *options], catch_exceptions=False)
    assert answer.exit_code == 0
    half = 'call-module("half", $x/v)'
    items = f'for $x in stream("xs")/xs/x where {half} > 2 return <h>{{ {half} }}</h>'
    subscriber.register("halves", items, at="P0", modules=[code.read_bytes()])
    subscriber.await_plan("halves")
    at = {task.id: task.at for task in subscriber.deployment().tasks}
    assert set(at.values()) == {"SP3"}
    publisher = connect(source.address)
    rows = frame_of(source_of(readings).plan, {1: {(1, 30.0): 1}, 2: {(2, 19.0): 1}, 3: {(3, None): 1}})
    publisher.append_rows("readings", rows, 5)
    publisher.end("readings")
    publisher.append_records("xs", [b"<x><v>3</v></x>", b"<x><v>9</v></x>", b"<x/>"])
    publisher.end("xs")
    frames = list(subscriber.frames("hot", follow=True))
    assert [row for frame in frames for row in frame.select("@from", "room", "h").rows()] == [(1, 1, 15.0)]
    assert list(subscriber.items("halves", follow=True)) == ["<h>4.5</h>"]


def test_a_function_that_fails_is_reported(tmp_path: Path) -> None:
    """In XQuery the record is left out; in CQL the task stops."""
    module = published_module(compiled(FAILING["trap"]), "P")
    name = calls.name_of("f", module.id.removeprefix("module_"))
    query = f'for $x in stream("s")/xs/x return <h>{{ call-module("{name}", $x/v) }}</h>'
    running = computation(task("xquery", query, "s"), [module], (), {})
    assert unpack_records(running.epoch({"s": [pack_records([b"<x><v>1</v></x>", b"<x/>"])]}, START, 1)) == [
        b"<h/>"
    ]
    (problem,) = running.take_problems()
    text = str(problem).replace(name, "f_" + "0" * 16) + "\n"
    assert text == golden(ERRORS / "failed-module.txt", text)


def test_an_operator_of_a_module_runs_for_each_record() -> None:
    module = published_module(compiled(ECHO), "P")
    name = calls.name_of("twice", module.id.removeprefix("module_"))
    running = computation(task("operator", name, "s"), [module], (), {})
    assert unpack_records(running.epoch({"s": [pack_records([b"<a/>", b"<b/>", b"\xff"])]}, START, 1)) == [
        b"<a/><a/>",
        b"<b/><b/>",
    ]
    assert [problem.code for problem in running.take_problems()] == ["failed-record"]
    assert (running.is_stateful, running.snapshot()) == (False, b"")


@pytest.fixture
def installed_package(tmp_path: Path) -> Iterator[str]:
    """A package with an entry point, as pip would install it."""
    (tmp_path / "tide_operators.py").write_text(
        "from slackwater.globe.compute.computation import Forward\n"
        "class Named(Forward):\n"
        "    def __init__(self, argument): self.argument = argument\n"
    )
    about = tmp_path / "tide_operators-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tide-operators\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[slackwater.operators]\nforwarded = tide_operators:Named\n")
    sys.path.insert(0, str(tmp_path))
    invalidate_caches()
    yield "forwarded"
    sys.path.remove(str(tmp_path))
    sys.modules.pop("tide_operators", None)


def test_an_operator_of_an_installed_package_is_found_by_its_entry_point(installed_package: str) -> None:
    made = computation(task("operator", f"{installed_package} with words", "s"), (), (), {})
    assert isinstance(made, Forward)
    assert made.argument == "with words"  # type: ignore[attr-defined]
    assert made.epoch({"s": [b"x"]}, START, 1) == b"x"


def test_an_operator_that_is_not_installed_is_named() -> None:
    with pytest.raises(SlackwaterError) as caught:
        computation(task("operator", "forwarded", "s"), (), (), {})
    text = str(caught.value.diagnostics[0]) + "\n"
    assert text == golden(ERRORS / "unknown-operator.txt", text)


def test_the_schema_of_a_stream_cannot_declare_functions() -> None:
    hostile = READINGS + "; CREATE FUNCTION f (x STRING) RETURNS INT LANGUAGE PYTHON AS 'os:system'"
    one = Published("readings", "P", "rows", hostile, Statistics(1, 1))
    with pytest.raises(EngineError) as caught:
        computation(task("cql", "SELECT f('ls') AS x FROM readings", "readings"), [one], (), {})
    text = str(caught.value.diagnostics[0]) + "\n"
    assert text == golden(ERRORS / "not-one-stream.txt", text)
