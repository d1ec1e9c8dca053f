"""Peers: other engines for Python users, each in a virtual environment of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.suite import Contender


@dataclass(frozen=True, slots=True)
class Peer:
    """A contender and the packages, pinned, that it is made of."""

    contender: Contender
    packages: tuple[str, ...]


PEERS: dict[str, Peer] = {
    "bytewax": Peer(
        Contender("bytewax, by hand", "benchmarks.contenders.bytewax", tuple("abcdef")),
        ("bytewax==0.21.1", "numpy==2.4.6", "pyarrow==26.0.1", "setuptools==80.9.0"),
    ),
    "pathway": Peer(
        Contender("pathway", "benchmarks.contenders.pathway", tuple("abcdef"), csv=True),
        ("pathway==0.33.0",),
    ),
    "flink": Peer(
        Contender("pyflink sql", "benchmarks.contenders.flink", tuple("abcdefg"), csv=True),
        ("apache-flink==2.3.0",),
    ),
}


def installed(cache: Path, names: list[str], say: Callable[[str], None]) -> list[Contender]:
    """The peers of those names, installed where needed; where that fails, with the reason."""
    contenders: list[Contender] = []
    for name in names:
        peer = PEERS[name]
        python = cache / f"venv-{name}" / "bin" / "python"
        why = _install(python, peer.packages, say)
        refused = tuple((workload, why) for workload in peer.contender.workloads) if why else ()
        contenders.append(replace(peer.contender, python=str(python), refused=refused))
    return contenders


def _install(python: Path, packages: tuple[str, ...], say: Callable[[str], None]) -> str | None:
    done = python.parent.parent / "installed"
    if done.exists() and done.read_text(encoding="utf-8").split() == list(packages):
        return None
    say(f"installing {', '.join(packages)}")
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        return f"cannot be installed: {(errors or ['no reason given'])[-1]}"[:160]
    done.write_text("\n".join(packages), encoding="utf-8")
    return None
