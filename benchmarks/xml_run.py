"""One query over one document by one engine, and what it took as JSON; see `benchmarks.xml`.

The process loads nothing but what the engine needs, since its memory is measured.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
QUERIES = HERE.parent / "tests" / "xquery" / "thesis"
SCHEMA = HERE / "auction_elements.dtd"
Result = dict[str, float | int | str]


def slackwater(text: str, document: Path) -> Result:
    from slackwater.xquery.run import XQueries, XQuery

    begun = time.perf_counter()
    asked = XQueries([XQuery(text, str(SCHEMA))])
    answer = hashlib.sha256()
    size = 0

    def take(piece: str) -> None:
        nonlocal size
        size += len(piece)
        answer.update(piece.encode())

    for _, piece in asked.run(document, sinks=[take]):
        take(piece)
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "output": size, "buffered": asked.stats.peak, "answer": answer.hexdigest()}


def saxon(text: str, document: Path) -> Result:
    import saxonche

    processor = saxonche.PySaxonProcessor(license=False)
    begun = time.perf_counter()
    asked = processor.new_xquery_processor()
    asked.set_property("!omit-xml-declaration", "yes")
    asked.set_property("!indent", "no")
    asked.set_context(xdm_item=processor.parse_xml(xml_file_name=str(document)))
    asked.set_query_content(text.replace("$ROOT", ""))
    with TemporaryDirectory() as folder:
        out = Path(folder) / "answer"
        asked.run_query_to_file(output_file_name=str(out))
        seconds = time.perf_counter() - begun
        answer = hashlib.sha256()
        with out.open("rb") as file:
            while piece := file.read(1 << 20):
                answer.update(piece)
        return {"seconds": seconds, "output": out.stat().st_size, "answer": answer.hexdigest()}


def peak() -> int:
    """The most memory this process had, in bytes; `getrusage` would count that of its parent, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def main(engine: str, name: str, document: str) -> None:
    text = (QUERIES / f"{name}.xq").read_text(encoding="utf-8")
    found = (slackwater if engine == "slackwater" else saxon)(text, Path(document))
    found["peak"] = peak()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
