"""Epochs as Arrow batches, on their way between peers and to and from users."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from slackwater.globe.protocol.messages import Epoch

EPOCHS = pa.schema([("edge", pa.int64()), ("items", pa.large_binary())])
"""The items are compressed: XML records in frames, or rows in Arrow's own format."""


def batch_of(epochs: Sequence[Epoch]) -> pa.RecordBatch:
    edges = pa.array([epoch.edge for epoch in epochs], pa.int64())
    items = pa.array([epoch.items for epoch in epochs], pa.large_binary())
    return pa.record_batch([edges, items], schema=EPOCHS)


def epochs_of(batch: pa.RecordBatch) -> list[Epoch]:
    edges, items = batch.column("edge").to_pylist(), batch.column("items").to_pylist()
    return [Epoch(edge, content) for edge, content in zip(edges, items, strict=True)]
