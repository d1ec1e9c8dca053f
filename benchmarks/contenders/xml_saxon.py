"""SaxonC over an auction document: builds a tree, then asks it. Standard output is one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path


def main() -> None:
    query, document, _, target = sys.argv[1:5]
    began = time.perf_counter()
    from saxonche import PySaxonProcessor

    saxon = PySaxonProcessor(license=False)
    asked = saxon.new_xquery_processor()
    asked.set_property("!omit-xml-declaration", "yes")
    asked.set_property("!indent", "no")
    asked.set_query_content(Path(query).read_text(encoding="utf-8").replace("$ROOT", ""))
    started = time.perf_counter()
    asked.set_context(xdm_item=saxon.parse_xml(xml_file_name=document))
    asked.run_query_to_file(output_file_name=target)
    ended = time.perf_counter()
    facts = {
        "seconds": ended - started,
        "with_start": ended - began,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
