"""The package itself, sent to Spark's workers as a zip: for executors whose Python has no slackwater.

    slackwater-0.2.0.zip
      slackwater/run/cluster/stage.py  stage.pyc …      sources, and what they compile to
      slackwater/language/xquery/tables.json …          data beside them
      slackwater-0.2.0.dist-info/METADATA               the version

It is pure Python. What it needs (polars, pyarrow, numpy) is not sent: `probe` says what a worker lacks.
"""

from __future__ import annotations

import atexit
import py_compile
import shutil
import tempfile
import zipfile
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from pyspark import SparkContext

_NAME = "slackwater"
_shipped: set[str] = set()
"""The applications of Spark that have it."""


def ship(context: SparkContext) -> None:
    """Send the package to the workers of a Spark application, also to those that start later."""
    application = str(context.applicationId)
    if application not in _shipped:
        context.addPyFile(str(_package()))
        _shipped.add(application)


@cache
def _package() -> Path:
    """The zip of the installed package, for as long as this process lives: executors may fetch it late."""
    folder = Path(tempfile.mkdtemp(prefix="slackwater-package-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return write_package(folder)


def write_package(folder: Path) -> Path:
    """Write the zip of the installed package to a folder; returns its path."""
    module = import_module(_NAME)
    assert module.__file__ is not None
    root, version = Path(module.__file__).parent, str(module.__version__)
    path = folder / f"{_NAME}-{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for file in sorted(root.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                _add(package, file, f"{_NAME}/{file.relative_to(root).as_posix()}", folder / "compiled.pyc")
        package.writestr(f"{_NAME}-{version}.dist-info/METADATA", _metadata(version))
    return path


def _add(package: zipfile.ZipFile, file: Path, name: str, draft: Path) -> None:
    """Add a file, and a module compiled, too: each new worker would compile all of them otherwise."""
    package.write(file, name)
    if file.suffix == ".py":
        # Checked by nothing: sources and code are in one zip. Another Python's code is passed over.
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(file), str(draft), name, doraise=True, invalidation_mode=mode)
        package.write(draft, f"{name}c")
        draft.unlink()


def _metadata(version: str) -> str:
    try:
        return distribution(_NAME).read_text("METADATA") or ""
    except PackageNotFoundError:  # a folder on the path
        return f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {version}\n"
