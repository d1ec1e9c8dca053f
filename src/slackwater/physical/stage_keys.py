"""Keys: by which columns a step must find its elements together, and what it would like best."""

from __future__ import annotations

from slackwater.algebra.expressions import Column
from slackwater.base.diagnostic import Bug
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.stage_plan import Key

Slots = tuple[tuple[str, ...], ...]
"""A step's key, column by column: its name in each input."""


def slots(node: Node) -> Slots | None:
    """The columns by which a step must find its elements together; () all; None wherever they are."""
    match node.step:
        case steps.Match() as step:
            return tuple(zip(step.left, step.right, strict=True))
        case steps.Aggregate() as step:
            return tuple((name,) for name in step.keys)
        case steps.Newest() as step:
            # Doubles are kept in two parts, which are not placed as the whole is.
            whole = (name for name in step.partition if not node.schema.type_of(name).is_floating)
            return tuple((name,) for name in whole)
        case steps.AtMostOne() as step:
            return tuple((name,) for name in step.key)
        case steps.Count():
            return tuple((name,) * len(node.inputs) for name in node.schema.names)
        case steps.Changed() | steps.Repeat():
            return tuple((name,) for name in node.schema.names)
        case steps.Live(slide=slide) if slide != 1:
            # What waits is kept, and what is kept has to have its place.
            return tuple((name,) for name in node.schema.names)
        case steps.Once():
            return ()
        case (
            steps.Read()
            | steps.Filter()
            | steps.Map()
            | steps.Live()
            | steps.LiveFor()
            | steps.LiveUntilNext()
        ):
            return None
        case steps.Together() | steps.Negate():
            return None
    raise Bug(f"nothing is said of where the elements of {type(node.step).__name__} must be")


def wishes(graph: Graph) -> list[list[Key]]:
    """For each step, the keys by which those that use it, near or far, would like it placed."""
    found: list[list[Key]] = [[] for _ in graph.nodes]
    for node, mine in reversed(list(zip(graph.nodes, found, strict=True))):
        wanted = slots(node)
        if wanted:
            narrowed = [tuple(slot for slot in wanted if set(slot) & set(wish)) for wish in mine]
            asked = [wanted, *(each for each in narrowed if each)]
            for side, place in enumerate(node.inputs):
                found[place] += [tuple(slot[side] for slot in each) for each in asked]
        elif wanted is None:
            for place in node.inputs:
                found[place] += [each for each in (_traced(wish, node) for wish in mine) if each]
    return found


def _traced(wish: Key, node: Node) -> Key:
    """The wish in the names of the step's input; what the step computes cannot be wished for there."""
    if not isinstance(node.step, steps.Map):
        return wish
    sources = {name: expr.name for name, expr in node.step.columns if isinstance(expr, Column)}
    return tuple(sources[name] for name in wish if name in sources)
