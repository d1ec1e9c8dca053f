"""This engine over an auction document: reads while it answers. Standard output is one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path


def main() -> None:
    query, document, schema, target = sys.argv[1:5]
    began = time.perf_counter()
    from slackwater.xquery.run import XQuery

    asked = XQuery(Path(query).read_text(encoding="utf-8"), schema)
    started = time.perf_counter()
    with Path(target).open("w", encoding="utf-8") as output:
        for piece in asked.run(document):
            output.write(piece)
    ended = time.perf_counter()
    facts = {
        "seconds": ended - started,
        "with_start": ended - began,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "buffer": asked.stats.peak,
        "first": asked.stats.first,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
