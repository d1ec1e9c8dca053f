"""Files that answers are written to: one for each epoch, there whole or not at all.

out/000000012.csv      what epoch 12 gave; written again, it is the same file
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.sinks.whole import write_whole

FORMATS = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with one file for each epoch that brought something.

    `mode` is what is written: the `changes` of a relation, the rows of a `stream`, the `elements` with
    their intervals, or the `table` as it stands, in one file that is replaced.
    """

    path: str | Path
    format: str = "csv"
    mode: str | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise EngineError(unknown_output(self.format))

    @property
    def folder(self) -> Path:
        return Path(self.path)

    def prepare(self, first: int | None) -> None:
        """Refuse a folder with answers of another run; take away what was never committed."""
        if first is not None:
            self._path(first).unlink(missing_ok=True)
            return
        found = sorted(self.folder.glob(f"*.{self.format}"))
        if found and not self.overwrite:
            raise EngineError(occupied(self.folder))
        for path in found:
            path.unlink()

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            written(self._path(number), frame, self.format)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:09d}.{self.format}"

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        """The table as it stands, in place of what was there."""
        written(self.folder / f"table.{self.format}", frame, self.format)


def written(path: Path, frame: pl.DataFrame, kind: str) -> None:
    """Write a frame so that the file is there whole or not at all; raises EngineError."""
    buffer = io.BytesIO()
    if kind == "csv":
        _flat(frame).write_csv(buffer)
    elif kind == "json":
        frame.write_ndjson(buffer)
    else:
        frame.write_parquet(buffer)
    try:
        write_whole(path, buffer.getbuffer())
    except OSError as error:
        raise EngineError(unwritable(path, error)) from error


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """CSV has no lists, structs or bytes: they become JSON and hexadecimal digits."""
    columns: list[pl.Expr] = []
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.List):
            column = pl.concat_str(
                pl.lit("["), pl.col(name).cast(pl.List(pl.String)).list.join(","), pl.lit("]")
            )
            columns.append(column.alias(name) if not kind.inner.is_nested() else _json(name))
        elif isinstance(kind, pl.Struct):
            columns.append(_json(name))
        elif kind == pl.Binary:
            columns.append(pl.concat_str(pl.lit("0x"), pl.col(name).bin.encode("hex")).alias(name))
    return frame.with_columns(columns)


def _json(name: str) -> pl.Expr:
    packed = pl.struct(pl.col(name).alias("v")).struct.json_encode()
    return packed.str.slice(5).str.strip_suffix("}").alias(name)


def unwritable(place: Path | str, error: Exception) -> Diagnostic:
    said = getattr(error, "strerror", None) or str(error)
    return Diagnostic(
        "unwritable-sink",
        "an answer cannot be written",
        where=str(place),
        detail=f"{said[:1].upper()}{said[1:].rstrip('.')}.",
        hint="Nothing that was committed is lost: mend the cause and start again.",
    )


def occupied(folder: Path) -> Diagnostic:
    return Diagnostic(
        "occupied-folder",
        "this folder has the answers of another run",
        where=str(folder),
        hint="Choose another folder, or say overwrite to replace them.",
    )


def unknown_output(given: str) -> Diagnostic:
    return Diagnostic(
        "unknown-output",
        f'answers cannot be written as "{given}"',
        hint=f"Choose one of {', '.join(FORMATS)}.",
    )
