"""The backfill: pieces of the past, computed and delivered; its states join those of the checkpoint.

    past      piece 0 ─ piece 1 ─ … ─┐ states
    run       epochs … 11  12        └► 13 …        one plan from epoch 13 on

Nothing of it is committed before the first epoch with the added queries. A start that is cut off in between
leaves answers and states that the next start discards, and computes again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from slackwater.physical.graph import Graph
from slackwater.run.backfill.pieces import Piece
from slackwater.run.cluster.placement import Computed, Placement
from slackwater.run.delivery import Delivery
from slackwater.run.receivers import ElementSink
from slackwater.run.runtime import Runtime
from slackwater.storage.location import Location


@dataclass(frozen=True, slots=True)
class Backfill:
    """The past of the queries that are added to a run."""

    graph: Graph
    """Their steps, with the names that their states have in the run."""
    make: Callable[[Graph, Location | None], Placement]
    pieces: Callable[[], Sequence[Piece]]
    compute: Callable[[Placement, Piece], Computed]
    """Compute a piece, from the rows of its files."""
    sinks: Mapping[str, Sequence[ElementSink]]
    parts: Sequence[Delivery] = ()
    """The sinks that tasks write in the workers."""

    def run(self, runtime: Runtime, is_stopping: Callable[[], bool] = lambda: False) -> None:
        """Compute all pieces, and let the runtime go on with their states; nothing where it is to stop."""
        assert runtime.store is not None
        placement = self.make(self.graph, runtime.store.state)
        drafts: dict[int, list[str]] = {}
        number = 0
        for piece in self.pieces():
            if is_stopping():
                return
            runtime.store.check()
            computed, number = self.compute(placement, piece), piece.number
            self._deliver(piece, computed)
            for place, names in computed.parts.items():
                drafts.setdefault(place, []).extend(names)
        for place, names in drafts.items():
            self.parts[place].announce(names)
        folders = {str(self.parts[place].folder): names for place, names in drafts.items()}
        runtime.join(placement.save(number), folders)

    def _deliver(self, piece: Piece, computed: Computed) -> None:
        for name, sinks in self.sinks.items():
            for sink in sinks:
                if name in computed.outputs and piece.hi > piece.lo:
                    sink.write(piece.number, piece.lo, piece.hi, computed.outputs[name])
