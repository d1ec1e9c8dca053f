"""Photons for the tests of the network, and what the reference says of queries over them."""

from __future__ import annotations

import re
from random import Random

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.language.xquery.parse import parse

NAMES = ("vela", "rxj", "rxj-alert", "bursts")


def photons(count: int, seed: int = 0, begin: float = 0.0) -> list[bytes]:
    """Photons around RXJ0852.0-4622; energies are quarters, so that every sum of them is exact."""
    random, now, records = Random(seed), begin, []
    for _ in range(count):
        now += random.choice((0.125, 0.5, 1.0, 3.5, 20.0))
        ra, dec = random.uniform(119, 140), random.uniform(-50, -39)
        records.append(
            f"<photon><ra>{ra:.3f}</ra><dec>{dec:.3f}</dec><pos_error>0</pos_error><phc>7</phc>"
            f"<en>{random.randrange(2, 12) / 4}</en><field_id>1</field_id><det_time>{now}</det_time>"
            "<dx>1</dx><dy>2</dy></photon>"
        )
    return [record.encode() for record in records]


def orbit_before(records: list[bytes]) -> list[bytes]:
    """Some of the photons, as they were an orbit earlier: at the same place, a little later or sooner."""
    earlier = []
    for place, record in enumerate(records[::3]):
        time = float(record.split(b"<det_time>")[1].split(b"<")[0])
        before = f"<det_time>{time - 5400 + place % 7}</det_time>".encode()
        earlier.append(re.sub(rb"<det_time>.*</det_time>", before, record))
    return earlier


def document(records: list[bytes]) -> bytes:
    return b"<photons>" + b"".join(records) + b"</photons>"


def whole_answer(text: str, records: list[bytes], known: list[bytes] | None = None) -> str:
    """What the reference says of all records as one document."""
    tree = read(document(records).decode())
    documents = {} if known is None else {"photons_db": read(document(known).decode())}
    return answer(parse(Text("query", text)), tree, {"photons": tree}, documents=documents)
