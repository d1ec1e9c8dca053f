"""A deployment as a picture: peers, links by what they carry, streams by colour, which query runs where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

from slackwater.globe.draw.cards import Card, card, rows_of
from slackwater.globe.draw.layout import placed
from slackwater.globe.draw.lines import Carried, flows, links, loads, size
from slackwater.globe.model import Deployment, PeerName, StreamId
from slackwater.globe.plan.estimate import of_published
from slackwater.globe.plan.shipping import sharing
from slackwater.physical.explain.picture.style import DARK, LIGHT, QUERIES, style

_HOP = 185.0
_MARGIN, _HEADER, _ROW = 28.0, 66.0, 19.0
_MOST_PEERS, _MOST_STREAMS = 150, 16
"""In a larger network, only peers that do something are drawn."""


def as_svg(
    deployment: Deployment, title: str = "Network", traffic: Mapping[tuple[str, str], float] | None = None
) -> str:
    """The picture. `traffic` is measured, in bytes a second by link; otherwise it is estimated."""
    traffic = sharing(deployment) if traffic is None else traffic
    carried = _carried(deployment)
    cards = _cards(deployment, {name: one.colour for name, one in carried.items()})
    legend = [*_legend(deployment, carried)]
    if len(legend) > _MOST_STREAMS:
        legend[_MOST_STREAMS:] = [("", f"and {len(legend) - _MOST_STREAMS} more")]
    width = max(700.0, max((one.x + one.width / 2 for one in cards.values()), default=0.0) + _MARGIN)
    bottom = max((one.y + one.height / 2 for one in cards.values()), default=_HEADER)
    height = bottom + 34 + _ROW * (len(legend) + 1) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title><style>{style()}{_style()}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="10"/>',
        f'<text class="title" x="{_MARGIN}" y="34">{escape(title)}</text>',
        f'<text class="sub" x="{_MARGIN}" y="53">{escape(_summary(deployment, traffic))}</text>',
        *links(deployment, cards),
        *flows(deployment, cards, carried),
        *chain.from_iterable(card(one) for one in cards.values()),
        *loads(deployment, cards, traffic),
        *_rows(legend, bottom + 48),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _cards(deployment: Deployment, colours: dict[StreamId, str]) -> dict[PeerName, Card]:
    rows = rows_of(deployment, colours)
    work: dict[PeerName, float] = {}
    for task in deployment.tasks:
        work[task.at] = work.get(task.at, 0.0) + task.estimate.work
    passing = {name for flow in deployment.flows for name in flow.route}
    every = [
        Card(peer, rows[peer.name], work.get(peer.name, 0.0) / peer.capacity)
        for peer in deployment.network.peers
        if len(deployment.network.peers) <= _MOST_PEERS or rows[peer.name] or peer.name in passing
    ]
    sizes = {one.peer.name: (one.width, one.height) for one in every}
    at = placed(deployment.network, [*sizes], sizes, _HOP)
    return {
        one.peer.name: replace(one, x=at[one.peer.name][0] + _MARGIN, y=at[one.peer.name][1] + _HEADER + 12)
        for one in every
    }


def _carried(deployment: Deployment) -> dict[StreamId, Carried]:
    """Colours for the streams that flow, in the order in which they came."""
    bytes_per_second = {one.id: of_published(one).bytes_per_second for one in deployment.published}
    bytes_per_second |= {task.output: task.estimate.bytes_per_second for task in deployment.tasks}
    flowing = dict.fromkeys(flow.stream for flow in deployment.flows)
    return {
        name: Carried(QUERIES[place % len(QUERIES)], bytes_per_second[name])
        for place, name in enumerate(flowing)
    }


def _legend(deployment: Deployment, carried: Mapping[StreamId, Carried]) -> Iterator[tuple[str, str]]:
    """A line for each stream that flows: its colour, and who uses it."""
    users = _users(deployment)
    for name, one in carried.items():
        whose = sorted(users.get(name, ()))
        shared = f"shared by {', '.join(whose)}" if len(whose) > 1 else f"for {', '.join(whose)}"
        yield one.colour, f"{name}   {size(one.bytes_per_second)}/s   {shared}"


def _users(deployment: Deployment) -> dict[StreamId, set[str]]:
    """The subscriptions that each stream is for."""
    tasks = {task.output: task for task in deployment.tasks}
    users: dict[StreamId, set[str]] = {}
    for subscription in deployment.subscriptions:
        waiting = [subscription.result]
        while waiting:
            name = waiting.pop()
            users.setdefault(name, set()).add(subscription.id)
            waiting += tasks[name].inputs if name in tasks else ()
    return users


def _rows(legend: list[tuple[str, str]], top: float) -> Iterator[str]:
    for place, (colour, text) in enumerate(legend):
        y = top + place * _ROW
        if not colour:
            yield f'<text class="soft" x="{_MARGIN + 36}" y="{y:.1f}">{escape(text)}</text>'
            continue
        yield (
            f'<line x1="{_MARGIN}" y1="{y - 4:.1f}" x2="{_MARGIN + 26}" y2="{y - 4:.1f}" stroke="{colour}" '
            f'stroke-width="4" stroke-linecap="round"/>'
            f'<text x="{_MARGIN + 36}" y="{y:.1f}" xml:space="preserve">{escape(text)}</text>'
        )
    y = top + len(legend) * _ROW
    words = "◉ published   ▤ document   ƒ task   ▸ delivered      bar: share of a peer's capacity"
    yield f'<text class="soft" x="{_MARGIN}" y="{y:.1f}" xml:space="preserve">{words}</text>'


def _summary(deployment: Deployment, traffic: Mapping[tuple[str, str], float]) -> str:
    counts = {
        "peer": len(deployment.network.peers),
        "subscription": len(deployment.subscriptions),
        "task": len(deployment.tasks),
        "stream": len({flow.stream for flow in deployment.flows}),
    }
    words = [f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items()]
    return f"{' · '.join(words)} · {size(sum(traffic.values()))}/s over all links"


def _style() -> str:
    plain = (
        ".name{font-weight:700;font-size:13px}.load{font-size:10px}.delivered{font-weight:700}"
        ".mark{font-size:11px;font-weight:700}.super{stroke-width:2}"
        ".link{stroke-width:1.6;stroke-dasharray:2 4}"
    )
    return f"{plain}{_colours(LIGHT)}@media(prefers-color-scheme:dark){{{_colours(DARK)}}}"


def _colours(of: Mapping[str, str]) -> str:
    return (
        f".link{{stroke:{of['line']}}}.load{{fill:{of['soft']};stroke:{of['paper']};stroke-width:3;paint-order:stroke}}"
        f".gauge{{fill:{of['edge']}}}.used{{fill:{of['window']}}}.super{{stroke:{of['line']}}}"
    )
