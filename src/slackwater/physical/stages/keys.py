"""Keys: the columns by which a step needs its elements partitioned, and those that steps after it need."""

from __future__ import annotations

from collections import Counter

from slackwater.algebra.expressions import Column
from slackwater.base.diagnostic import Bug
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.stages.plan import Key

Slots = tuple[tuple[str, ...], ...]
"""A step's key, column by column: its name in each input."""


def slots(node: Node) -> Slots | None:
    """The columns by which a step needs its elements partitioned; () all in one; None anywhere."""
    match node.step:
        case steps.Join() | steps.BestMatch() as step:
            return tuple(zip(step.left, step.right, strict=True))
        case steps.Best() as step:
            return tuple((name,) for name in step.group)
        case steps.Aggregate() as step:
            return tuple((name,) for name in step.keys)
        case steps.Over() as step:
            return tuple((name,) for name in step.partition)
        case steps.Recognize() as step:
            kinds = dict(node.schema)
            return tuple((name,) for name in step.partition if not kinds[name].is_floating)
        case steps.RowWindow() | steps.NestedRowWindows() as step:
            # Doubles are kept in two parts, which are not placed as the whole is.
            whole = (name for name in step.partition if not node.schema.type_of(name).is_floating)
            return tuple((name,) for name in whole)
        case steps.SessionWindow() as step:
            return tuple((name,) for name in step.partition)
        case steps.Sessions() as step:
            return tuple((name,) for name in step.keys)
        case steps.AtMostOne() as step:
            return tuple((name,) for name in step.key)
        case steps.Apply() as step:
            return tuple((name,) for name in step.key or node.schema.names)
        case steps.Count():
            return tuple((name,) * len(node.inputs) for name in node.schema.names)
        case steps.Changed() | steps.Repeat() | steps.AliveSince() | steps.When():
            return tuple((name,) for name in node.schema.names)
        case steps.RangeWindow(slide=slide) if slide != 1:
            # Elements that wait for the slide are state, and state is partitioned.
            return tuple((name,) for name in node.schema.names)
        case steps.Synchronize() if len(node.inputs) == 1:
            return tuple((name,) for name in node.schema.names)
        case steps.Once() | steps.Ticks() | steps.Synchronize() | steps.Recursion():
            return ()
        case (
            steps.Read()
            | steps.Filter()
            | steps.Map()
            | steps.Unnest()
            | steps.RangeWindow()
            | steps.SlidingWindow()
            | steps.FixedWindow()
            | steps.Assign()
        ):
            return None
        case steps.Union() | steps.Negate() | steps.Since() | steps.Stamp():
            return None
    raise Bug(f"no partitioning is defined for {type(node.step).__name__}")


def later_keys(graph: Graph) -> list[Counter[Key]]:
    """For each step, the keys that steps after it, near or far, need, and how many of them do."""
    keys: list[Counter[Key]] = [Counter() for _ in graph.nodes]
    for node, after in reversed(list(zip(graph.nodes, keys, strict=True))):
        own = slots(node)
        if isinstance(node.step, steps.BestMatch) and not own:
            left = set(graph.nodes[node.inputs[0]].schema.names)
            keys[node.inputs[0]].update({key: n for key, n in after.items() if left.issuperset(key)})
        elif own:
            narrowed = [(tuple(slot for slot in own if set(slot) & set(key)), n) for key, n in after.items()]
            for side, place in enumerate(node.inputs):
                for part, n in [(own, 1), *narrowed]:
                    _add(keys[place], tuple(slot[side] for slot in part), n)
        elif own is None:
            traced = [(_traced(key, node), n) for key, n in after.items()]
            for place in node.inputs:
                for key, n in traced:
                    _add(keys[place], key, n)
    return keys


def _add(keys: Counter[Key], key: Key, count: int) -> None:
    if key:
        keys[key] += count


def _traced(key: Key, node: Node) -> Key:
    """The key in the names of the step's input, without columns that the step computes."""
    if isinstance(node.step, steps.Unnest):
        added = {node.step.ordinal, *node.step.fields, *(name for name, _ in node.step.arrays)}
        return tuple(name for name in key if name not in added)
    if not isinstance(node.step, steps.Map):
        return key
    sources = {name: expr.name for name, expr in node.step.columns if isinstance(expr, Column)}
    return tuple(sources[name] for name in key if name in sources)
