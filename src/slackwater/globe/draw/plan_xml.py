"""What a registration adds, as the XML of figure 2.8: per peer, the operators and their queries."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent
from xml.sax.saxutils import quoteattr

from slackwater.globe.model import PeerName, Subscription, Task
from slackwater.globe.plan.explanation import Explanation

_NAMESPACES = 'xmlns="urn:streamglobe.in.tum.de/pdc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def as_xml(explanation: Explanation, subscription: Subscription) -> str:
    """The plan of a subscription, from the peer that receives its result down to the data."""
    tasks = (*explanation.tasks, *explanation.changed)
    # Later parts are nearer to the subscriber.
    peers = [*dict.fromkeys([subscription.at, *(task.at for task in reversed(tasks))])]
    inner = ""
    for peer in reversed(peers):
        inner = _plan(peer, subscription, [task for task in tasks if task.at == peer], explanation, inner)
    head, rest = inner.split(">", 1)
    return f"{head} {_NAMESPACES}>{rest}"


def _plan(
    peer: PeerName, subscription: Subscription, tasks: list[Task], explanation: Explanation, inner: str
) -> str:
    name = f"{subscription.id}_{peer}".lower()
    lines = [f"<plan atPeer={quoteattr(peer)} id={quoteattr(name)}>", "  <add>"]
    if peer == subscription.at:
        lines += [indent(_display(subscription.result or explanation.subscription), "    ")]
    changed = {task.id for task in explanation.changed}
    lines += [indent(_operator(task), "    ") for task in reversed(tasks) if task.id not in changed]
    lines.append("  </add>")
    again = [task for task in tasks if task.id in changed]
    if again:
        lines += ["  <change>", *(indent(_operator(task), "    ") for task in again), "  </change>"]
    return "\n".join([*lines, *([indent(inner.rstrip(), "  ")] if inner else []), "</plan>"]) + "\n"


def _display(stream: str) -> str:
    return "\n".join(
        ['<streamoperator id="result" name="display" xsi:type="builtInStreamoperator">',
         *_dependencies((stream,)), "</streamoperator>"]
    )  # fmt: skip


def _operator(task: Task) -> str:
    head = f'<streamoperator id={quoteattr(task.id)} name="query" xsi:type="queryStreamoperatorType">'
    text = task.text.replace("]]>", "]]]]><![CDATA[>")
    source = ["  <source><![CDATA[", indent(text, "    "), "  ]]></source>"]
    return "\n".join([head, *_dependencies(task.inputs), *source, "</streamoperator>"])


def _dependencies(streams: tuple[str, ...]) -> Iterator[str]:
    yield "  <dependencies>"
    yield from (f"    <streamreference streamref={quoteattr(name)}/>" for name in streams)
    yield "  </dependencies>"
