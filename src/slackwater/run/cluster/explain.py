"""Stages as a person reads them: what works together, what moves between, what is kept and until when."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.physical.stages import Move, Stage, Stages, Work
from slackwater.run.explain import described as described_step
from slackwater.run.explain import kept_in_words


def described(stages: Stages) -> str:
    """A paragraph for each stage: what moves to it and by what, its steps, and what each keeps."""
    lines = ["beside the sources", *_steps(stages, stages.beside)]
    for number, stage in enumerate(stages.stages):
        where = ", in one partition" if all(work.is_single for work in stage.works) else ""
        lines += ["", f"stage {number}{where}"]
        lines += [f"  takes {move.node} {_way(move, stages)}" for move in stage.takes]
        lines += _steps(stages, stage)
    return "\n".join(lines)


def _way(move: Move, stages: Stages) -> str:
    if move.key:
        return f"by {', '.join(move.key)}"
    if move.key == ():
        return "to the first partition"
    is_read = any(work.node == move.node for work in stages.beside.works)
    return "in equal parts" if is_read else "where it is"


def _steps(stages: Stages, stage: Stage) -> Iterator[str]:
    names = {place: name for name, place in stages.graph.outputs.items()}
    for work in stage.works:
        step = stages.graph.nodes[work.node].step
        reads = f" of {', '.join(map(str, _places(work)))}" if work.inputs else ""
        gives = f"   => {names[work.node]}" if work.node in names else ""
        yield f"  {work.node}  {described_step(step)}{reads}{gives}"
        if keeps := kept_in_words(step):
            yield f"       keeps {keeps}, {_placed(work)}"


def _places(work: Work) -> list[int]:
    return [each.node if isinstance(each, Move) else each for each in work.inputs]


def _placed(work: Work) -> str:
    keys = dict.fromkeys(", ".join(key) for key in work.keys if key)
    return f"placed by {' and '.join(keys)}" if keys else "in the first partition"
