"""One query over one document by one engine: its answer in a file, and what it took as JSON.

The process loads nothing but what the engine needs, since its memory is measured.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
QUERIES = HERE.parent / "tests" / "xquery" / "thesis"
SCHEMA = HERE / "auction_elements.dtd"
Result = dict[str, float | int | str]


def slackwater(text: str, document: Path, answer: Path) -> Result:
    from slackwater.flux.run import XQueries, XQuery

    begun = time.perf_counter()
    queries = XQueries([XQuery(text, str(SCHEMA))])
    with answer.open("w", encoding="utf-8", newline="") as out:
        for _, piece in queries.run(document, sinks=[out.write]):
            out.write(piece)
    return {"seconds": time.perf_counter() - begun, "buffered": queries.stats.peak}


def saxon(text: str, document: Path, answer: Path) -> Result:
    import saxonche

    processor = saxonche.PySaxonProcessor(license=False)
    begun = time.perf_counter()
    query = processor.new_xquery_processor()
    query.set_property("!omit-xml-declaration", "yes")
    query.set_property("!indent", "no")
    query.set_context(xdm_item=processor.parse_xml(xml_file_name=str(document)))
    query.set_query_content(text.replace("$ROOT", ""))
    query.run_query_to_file(output_file_name=str(answer))
    return {"seconds": time.perf_counter() - begun}


def peak() -> int:
    """The most memory this process had, in bytes; `getrusage` would count that of its parent, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def main(engine: str, name: str, document: str, answer: str) -> None:
    text = (QUERIES / f"{name}.xq").read_text(encoding="utf-8")
    result = (slackwater if engine == "slackwater" else saxon)(text, Path(document), Path(answer))
    result["peak"] = peak()
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
