"""Workloads: what is asked, in CQL, and on how much data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.data import Shape

DECLARED = {
    "S": "CREATE STREAM S (k BIGINT, v BIGINT) TIME ts TIMESTAMP;",
    "U": "CREATE STREAM U (k BIGINT, w BIGINT) TIME ts TIMESTAMP;",
    "R": "CREATE RELATION R (k BIGINT, r BIGINT) KEY (k) TIME ts TIMESTAMP;",
    "T": "CREATE STREAM T (src BIGINT, dst BIGINT, amount BIGINT) TIME ts TIMESTAMP;",
}
UPDATES = 10_000


@dataclass(frozen=True, slots=True)
class Workload:
    """A question, its input, and the columns of its answer."""

    name: str
    title: str
    query: str
    """`{window}` stands for the length of the window in seconds."""
    answer: tuple[str, ...]
    streams: tuple[str, ...] = ("S",)
    keys: int = 1_000
    window: int = 60
    is_stream: bool = False
    """Whether the answer is a stream rather than a relation that changes."""

    def shape(self, events: int, batch: int) -> Shape:
        updates = min(UPDATES, events // 10) if "R" in self.streams else 0
        return Shape(events, self.keys, batch, updates)

    def text(self, window: int | None = None) -> str:
        declarations = " ".join(DECLARED[name] for name in self.streams)
        return f"{declarations} {self.query.format(window=window or self.window)}"

    def total(self, events: int) -> int:
        """The events of all its streams; updates of a relation are not counted."""
        return events * sum(name != "R" for name in self.streams)


_SLIDING = Workload(
    "a-1k",
    "(a) sliding sum and count, 1,000 keys",
    "SELECT k, COUNT(*) AS n, SUM(v) AS s FROM S [RANGE {window} SECONDS] GROUP BY k",
    ("k", "n", "s"),
)

WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        _SLIDING,
        replace(_SLIDING, name="a-100k", title="(a) sliding sum and count, 100,000 keys", keys=100_000),
        Workload(
            "b",
            "(b) window join, 100,000 keys",
            "SELECT S.k, v, w FROM S [RANGE {window} SECONDS], U [RANGE {window} SECONDS] WHERE S.k = U.k",
            ("k", "v", "w"),
            streams=("S", "U"),
            keys=100_000,
        ),
        Workload(
            "c",
            "(c) filter and project",
            "SELECT k, v * 2 AS d FROM S WHERE v >= 500",
            ("k", "d"),
            is_stream=True,
        ),
        Workload(
            "d",
            "(d) distinct keys, 100,000 keys",
            "SELECT DISTINCT k FROM S [RANGE {window} SECONDS]",
            ("k",),
            keys=100_000,
        ),
        Workload(
            "e",
            "(e) aggregate over aggregate",
            "SELECT n, COUNT(*) AS m FROM"
            " (SELECT k, COUNT(*) AS n FROM S [RANGE {window} SECONDS] GROUP BY k) AS x GROUP BY n",
            ("n", "m"),
        ),
        Workload(
            "f",
            "(f) stream with a relation, as of each event",
            "SELECT RSTREAM(S.k, v, r) FROM S [NOW], R WHERE S.k = R.k",
            ("k", "v", "r"),
            streams=("S", "R"),
            is_stream=True,
        ),
        Workload(
            "g",
            "(g) bank: credits and debits, outer join, difference, sum",
            "SELECT COUNT(*) AS accounts, COALESCE(SUM(balance), 0) AS total FROM"
            " (SELECT COALESCE(credits, 0) - COALESCE(debits, 0) AS balance FROM"
            " (SELECT dst, SUM(amount) AS credits FROM T [RANGE UNBOUNDED] GROUP BY dst) AS c FULL OUTER JOIN"
            " (SELECT src, SUM(amount) AS debits FROM T [RANGE UNBOUNDED] GROUP BY src) AS d ON dst = src"
            ") AS x",
            ("accounts", "total"),
            streams=("T",),
        ),
    )
}
