"""Streams of XML records, and subscriptions in XQuery to them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from globe.photons import document
from globe.photons import photons as records
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.globe import astronomy
from slackwater.language.xquery.parse import parse
from slackwater.run.subscriptions import SubscriptionQuery
from slackwater.session import Session, connect

THESIS = Path(astronomy.__file__).parent
PHOTONS = "CREATE STREAM photons (ra DOUBLE, en DOUBLE) TIME det_time TIMESTAMP FROM XML"


def photons(count: int, seed: int = 0, begin: float = 0.0) -> str:
    """A document of photons around RXJ0852.0-4622."""
    return document(records(count, seed, begin)).decode()


def whole_answer(query: str, document: str) -> str:
    """What the reference says of all records as one document."""
    tree = read(document)
    return answer(parse(Text("query", query)), tree, {"photons": tree})


def declared(s: Session, path: Path, text: str, record: str = "/photons/photon") -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    s.sql(f"{PHOTONS} '{path}' RECORD '{record}'")


@pytest.mark.parametrize("name", ["vela", "rxj", "rxj-alert"])
def test_a_subscription_of_the_thesis_gives_what_the_reference_gives(
    s: Session, tmp_path: Path, name: str
) -> None:
    query, document = (THESIS / f"{name}.xq").read_text(encoding="utf-8"), photons(600)
    declared(s, tmp_path / "photons.xml", document)
    whole = whole_answer(query, document)
    items = s.xquery(query).items()
    assert len(items) > 10
    assert "".join(["<photons>", *(item for _, item in items), "</photons>"]) == whole


def test_windows_go_over_files_and_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """A window does not care where one file ends and the next begins, nor where the kernels run."""
    query = (THESIS / "rxj-alert.xq").read_text(encoding="utf-8")
    parts = [photons(120, seed, begin=1_000.0 * seed) for seed in range(3)]
    for number, part in enumerate(parts):
        (tmp_path / f"{number}.xml").write_text(part, encoding="utf-8")
        os.utime(tmp_path / f"{number}.xml", (number + 1, number + 1))
    whole = "".join(parts).replace("</photons><photons>", "")
    expected = whole_answer(query, whole)
    for placement in ("driver", "workers"):
        s = connect(spark, placement=placement)
        s.sql(f"{PHOTONS} '{tmp_path}' RECORD '/photons/photon' WITH (maxFilesPerTrigger = 1)")
        items = [item for _, item in s.xquery(query).items()]
        assert "".join(["<photons>", *items, "</photons>"]) == expected


def test_items_are_handed_on_while_files_come(s: Session, tmp_path: Path) -> None:
    declared(s, tmp_path / "in" / "0.xml", photons(40))
    s.sql(f"{PHOTONS.replace('photons', 'later')} '{tmp_path / 'in'}' RECORD '/photons/photon'")
    text = 'for $p in stream("later")/photons/photon where $p/en > 1 return <en>{string($p/en)}</en>'
    seen: list[Any] = []
    assert repr(s.xquery(text)) == "<xquery subscription 1>"
    with s.xquery(text).start(lambda time, item: seen.append(item)) as running:
        (tmp_path / "in" / "1.xml").write_text(photons(40, seed=1, begin=9_000.0), encoding="utf-8")
        until = time.monotonic() + 60
        while len(seen) < 40 and running.is_active and time.monotonic() < until:
            time.sleep(0.1)
    assert {item[:4] for item in seen} == {"<en>"}
    assert len(seen) >= 40


def _followed(subscription: SubscriptionQuery, seen: list[Any], checkpoint: Path, enough: int) -> None:
    """Run a subscription until there are enough answers in all."""
    with subscription.start(lambda *item: seen.append(item), checkpoint=checkpoint) as running:
        until = time.monotonic() + 60
        while len(seen) < enough and running.is_active and time.monotonic() < until:
            time.sleep(0.1)


@pytest.mark.parametrize("window", ["", "|det_time diff 60 step 15|"])
def test_a_subscription_resumes_where_it_was(spark: SparkSession, tmp_path: Path, window: str) -> None:
    inside = "count($p), avg($p/en)" if window else "$p/en"
    text = f"for $p in stream('photons')/photons/photon{window} return <p>{{{inside}}}</p>"
    seen: list[Any] = []
    (tmp_path / "in").mkdir()
    for number in range(3):
        more = photons(40, number, begin=1_000.0 * number)
        (tmp_path / "in" / f"{number}.xml").write_text(more, encoding="utf-8")
        s = connect(spark)
        s.sql(f"{PHOTONS} '{tmp_path / 'in'}' RECORD '/photons/photon' WITH (maxFilesPerTrigger = 1)")
        expected = s.xquery(text).items()
        _followed(s.xquery(text), seen, tmp_path / "checkpoint", enough=len(expected) - 5)
        assert len(seen) >= len(expected) - 5
        assert seen == expected[: len(seen)]


def test_columns_come_from_a_schema(s: Session, tmp_path: Path) -> None:
    (tmp_path / "trades.xsd").write_text(
        """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="trades"><xs:complexType>
        <xs:sequence><xs:element name="trade" maxOccurs="unbounded"><xs:complexType><xs:sequence>
        <xs:element name="at" type="xs:dateTime"/><xs:element name="price" type="xs:double"/>
        <xs:element name="of" minOccurs="0"><xs:complexType><xs:sequence>
        <xs:element name="symbol" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
        </xs:sequence><xs:attribute name="size" type="xs:int"/></xs:complexType></xs:element></xs:sequence>
        </xs:complexType></xs:element></xs:schema>""",
        encoding="utf-8",
    )
    (tmp_path / "trades.xml").write_text(
        '<trades><trade size="3"><at>2024-02-29T12:00:00Z</at><price>1.5</price>'
        "<of><symbol>A&amp;B</symbol></of></trade><!-- no <trade> -->"
        "<trade><at>2024-02-29T13:00:01+01:00</at><price>2</price></trade></trades>",
        encoding="utf-8",
    )
    s.sql(
        f"CREATE STREAM trades TIME at FROM XML '{tmp_path / 'trades.xml'}' RECORD '/trades/trade' "
        f"WITH (schema = '{tmp_path / 'trades.xsd'}')"
    )
    query = s.query("SELECT RSTREAM(size, price, symbol) FROM trades [NOW]")
    assert str(query.schema) == "(size int, price double, symbol string)"
    assert [row[1:] for row in query.emits().rows()] == [(3, 1.5, "A&B"), (None, 2.0, None)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_any_encoding_that_a_document_declares(s: Session, tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><l><r n="ü"><t>1</t></r><r n="a>b"><t>2</t></r></l>'
    path = tmp_path / "l %20ü#.xml"
    path.write_bytes(text.encode(encoding))
    s.sql(f"CREATE STREAM l (n STRING) TIME t INT FROM XML '{path}' RECORD '/l/r'")
    assert s.query("SELECT RSTREAM(n) FROM l [NOW]").emits().rows() == [(1, "ü"), (2, "a>b")]
    items = s.xquery('for $r in stream("l")/l/r return <n>{string($r/@n)}</n>').items()
    assert items == [(1, "<n>ü</n>"), (2, "<n>a&gt;b</n>")]


BROKEN = {
    "two values": "<l><r><t>1</t><a>1</a><a>2</a></r><r><t>2</t><a>3</a></r></l>",
    "no number": "<l><r><t>1</t><a>one</a></r><r><t>2</t><a>3</a></r></l>",
    "cut off": "<l><r><t>2</t><a>3</a></r><r><t>4</t>",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_does_not_fit_is_reported_with_its_file(s: Session, tmp_path: Path, kind: str) -> None:
    (tmp_path / "l.xml").write_text(BROKEN[kind], encoding="utf-8")
    s.sql(f"CREATE STREAM l (a INT) TIME t INT FROM XML '{tmp_path / 'l.xml'}' RECORD '/l/r'")
    with pytest.raises(EngineError, match=r"malformed-row.*\n.*l\.xml"):
        s.query("SELECT a FROM l [NOW]").run()


def test_a_file_is_never_whole_in_a_row(s: Session, tmp_path: Path) -> None:
    """Spark refuses to read a file of more than this into a row: workers open it instead."""
    (tmp_path / "l.xml").write_text(f"<l>{'<r><t>1</t></r>' * 100}</l>", encoding="utf-8")
    s.sql(f"CREATE STREAM l (a INT) TIME t INT FROM XML '{tmp_path / 'l.xml'}' RECORD '/l/r'")
    s.spark.conf.set("spark.sql.sources.binaryFile.maxLength", 100)
    try:
        assert s.query("SELECT COUNT(*) AS n FROM l [RANGE UNBOUNDED]").at(1).rows() == [(100,)]
    finally:
        s.spark.conf.unset("spark.sql.sources.binaryFile.maxLength")


def test_what_does_not_fit_can_be_set_aside(s: Session, tmp_path: Path) -> None:
    (tmp_path / "l.xml").write_text(BROKEN["cut off"], encoding="utf-8")
    s.sql(
        f"CREATE STREAM l (a INT) TIME t INT FROM XML '{tmp_path / 'l.xml'}' RECORD '/l/r' "
        "WITH (malformed = 'set aside')"
    )
    with pytest.warns(UserWarning, match="1 malformed"):
        query = s.query("SELECT RSTREAM(a) FROM l [NOW]").run()
    assert query.emits().rows() == [(2, 3)]
    (aside,) = query.set_aside("malformed", "l")
    assert aside["row"].startswith("line 1, column ")


BURSTS = THESIS / "bursts.xq"


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_records_are_matched_with_a_document(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    """Each record is matched by itself, with the document as it was when the query was declared."""
    query = BURSTS.read_text(encoding="utf-8").replace("0.1", "2")
    stream, known = photons(200, begin=5_400.0), photons(150, seed=1)
    s = connect(spark, placement=placement)
    declared(s, tmp_path / "photons.xml", stream)
    (tmp_path / "known.xml").write_text(known, encoding="utf-8")
    subscription = s.xquery(query, {"photons_db": tmp_path / "known.xml"})
    (tmp_path / "known.xml").unlink()
    items = [item for _, item in subscription.items()]
    module = parse(Text("query", query))
    whole = answer(module, None, {"photons": read(stream)}, {"photons_db": read(known)})
    assert len(items) > 10
    assert "".join(["<photons>", *items, "</photons>"]) == whole


def test_a_document_is_checked_when_the_query_is_declared(s: Session, tmp_path: Path) -> None:
    declared(s, tmp_path / "photons.xml", photons(3))
    with pytest.raises(EngineError, match="malformed-xml"):
        s.xquery(BURSTS.read_text(encoding="utf-8"), {"photons_db": "<photons><photon></photons>"})
    with pytest.raises(EngineError, match="photons_db"):
        s.xquery(BURSTS.read_text(encoding="utf-8"))


RECORD = "for $p in stream('photons')/photons/photon"
JOIN = "outer bestmatch join $q on (abs($p/ra - $q/ra)) min return $q"
WRONG = {
    "no-subscription-bestmatch": f"{RECORD} for $q in doc('known')/photons/photon where $p right {JOIN}",
    "no-subscription-twice": f"{RECORD} for $q in stream('photons')/photons/photon where $p left {JOIN}",
    "no-subscription-window": f"{RECORD}|det_time diff 4| return count($p) + count(doc('known')/photons)",
    "no-subscription": "count(stream('photons')/photons/photon)",
    "no-subscription-order": "for $p in stream('photons')/photons/photon order by $p/en return $p",
    "counted-window": "for $w in stream('photons')/photons/photon|count 4| return count($w)",
    "window-contents": "for $w in stream('photons')/photons/photon|det_time diff 4| return <w>{$w}</w>",
    "not-xml": "for $p in stream('trades')/photons/photon return $p",
    "other-record": "for $p in stream('photons')/photons/electron return $p",
}
GOLDEN = Path(__file__).parent / "errors"


def check_golden(name: str, caught: pytest.ExceptionInfo[SlackwaterError]) -> None:
    """The text of an error is the one that is written down."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SLACKWATER_GOLDEN"):
        path.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WRONG)
def test_the_exact_text_of_a_mistake(s: Session, tmp_path: Path, name: str) -> None:
    declared(s, tmp_path / "photons.xml", photons(3))
    with pytest.raises(SlackwaterError) as caught:
        s.xquery(WRONG[name])
    check_golden(name, caught)


DTD = "<!ELEMENT photons (photon*)><!ELEMENT photon (ra, en)><!ELEMENT ra (#PCDATA)><!ELEMENT en (#PCDATA)>"
RECORDS = "FROM XML 'p.xml' RECORD '/photons/photon'"
DECLARED = {
    "no-columns": "CREATE STREAM p TIME t INT FROM 'p.csv'",
    "bad-record": "CREATE STREAM p (ra DOUBLE) TIME t INT FROM XML 'p.xml' RECORD 'photon'",
    "no-such-record": "CREATE STREAM p TIME t INT FROM XML 'p.xml' RECORD '/photons/foton' "
    "WITH (schema = 'p.dtd')",
    "no-such-element": f"CREATE STREAM p (dec DOUBLE) TIME t INT {RECORDS} WITH (schema = 'p.dtd')",
    "unreadable-schema-of-records": f"CREATE STREAM p TIME t INT {RECORDS} WITH (schema = 'q.dtd')",
    "no-record": "CREATE STREAM p (ra DOUBLE) TIME t INT FROM 'p.xml'",
}


@pytest.mark.parametrize("name", DECLARED)
def test_the_exact_text_of_a_wrong_declaration(
    s: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.dtd").write_text(DTD, encoding="utf-8")
    Path("p.xml").write_text("<photons/>", encoding="utf-8")
    with pytest.raises(SlackwaterError) as caught:
        _declare_and_ask(s, DECLARED[name])
    check_golden(name, caught)


def _declare_and_ask(s: Session, declaration: str) -> None:
    s.sql(declaration)
    s.query("SELECT * FROM p [NOW]").run()
