"""Trees: what stands below a node is found and replaced wherever its fields hold it."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.base.tree import Part, children, rebuild, walk, walk_once, with_children


@dataclass(frozen=True, slots=True)
class Node:
    pass


@dataclass(frozen=True, slots=True)
class Leaf(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Arm(Part):
    label: str
    body: Node | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """No part of a node: what it holds is not looked at."""

    hidden: Node


@dataclass(frozen=True, slots=True)
class Branching(Node):
    first: Node
    pairs: tuple[tuple[str, Node], ...]
    arms: tuple[Arm, ...]
    record: Record


A, B, C, HIDDEN = map(Leaf, "ABCH")
TREE = Branching(A, (("b", B),), (Arm("c", C), Arm("none")), Record(HIDDEN))


def below(node: Node) -> list[Node]:
    return list(children(node, Node))


def test_nodes_are_found_alone_in_tuples_and_in_parts_in_the_order_of_the_fields() -> None:
    assert below(TREE) == [A, B, C]
    assert list(children(TREE, str)) == ["b", "c", "none"]


def test_a_node_is_rebuilt_with_what_it_holds_elsewhere_as_it_was() -> None:
    again = rebuild(TREE, Node, lambda leaf: Leaf(leaf.name.lower()))
    assert below(again) == [Leaf("a"), Leaf("b"), Leaf("c")]
    assert again.record is TREE.record
    assert with_children(again, Node, (A, B, C)) == TREE


def test_a_node_of_which_nothing_changes_stays_the_same_object() -> None:
    assert rebuild(TREE, Node, lambda leaf: leaf) is TREE
    assert with_children(TREE, Node, (A, B, C)) is TREE


def test_an_object_at_two_places_is_walked_twice_or_once() -> None:
    tree = Branching(TREE, (("again", TREE),), (), Record(HIDDEN))
    assert list(walk(tree, below)) == [tree, TREE, A, B, C, TREE, A, B, C]
    assert list(walk_once(tree, below)) == [tree, TREE, A, B, C]
