"""A chosen plan put into a state: tasks, flows, and common parts that are computed once."""

from __future__ import annotations

import re
from dataclasses import replace

from slackwater.globe.model import Estimate, Flow, PeerName, Properties, StreamId, Subscription, Task
from slackwater.globe.plan.branches import Branch
from slackwater.globe.plan.choose import Choice
from slackwater.globe.plan.common import common_part
from slackwater.globe.plan.estimate import checks, of_filter, work, work_over
from slackwater.globe.plan.state import State
from slackwater.globe.properties import crossing_name, is_same, remaining
from slackwater.globe.split import Input, Parts, filter_text, rest_text

_PART = re.compile(r"-(filter|trans|common)(-\d+)?$")


class Applied:
    """Puts one subscription into a state, and remembers what is new."""

    def __init__(self, state: State, subscription: Subscription, parts: Parts) -> None:
        self.state, self.parts = state, parts
        self.subscription = subscription
        self.name = subscription.id.lower()
        self.tasks: dict[str, Task] = {}
        self.changed: dict[str, Task] = {}
        self.flows: list[Flow] = []

    def apply(self, choice: Choice) -> Subscription:
        """Run and send what the choice says; the subscription with the stream that is delivered."""
        result = choice.stream
        if choice.branches:
            inputs = {branch.need.source: self._bring(branch) for branch in choice.branches}
            result = self._compute(choice, inputs)
        self._send(result, choice.route)
        delivered = replace(self.subscription, result=result)
        self.state.deliver(delivered)
        return delivered

    def deliver(self, branch: Branch) -> Subscription:
        """Bring a part of a stream to the subscriber, as it is."""
        delivered = replace(self.subscription, result=self._bring(branch))
        self.state.deliver(delivered)
        return delivered

    def _bring(self, branch: Branch) -> StreamId:
        """The stream that arrives at the end of a branch."""
        cut = len(branch.route) - 1 if branch.cut is None else branch.cut
        at = branch.route[cut]
        self._send(branch.stream, branch.route[: cut + 1])
        if self._is_same(branch.stream, branch.need):
            return branch.stream
        stream = self._common(branch.need, branch.stream, at)
        if branch.cut is None:
            return stream
        if not self._is_same(stream, branch.need):
            stream = self._filter(f"{self.name}-filter", branch.need, stream, at)
        self._send(stream, branch.route[cut:])
        return stream

    def _common(self, need: Properties, stream: StreamId, at: PeerName) -> StreamId:
        """The stream that is read instead, if another task of the peer needs part of the same."""
        if self.state.network[at].kind == "subnet":
            return stream
        common = common_part(self.state, need, stream, at)
        if common is None:
            return stream
        made = self._filter(common_name(common.task), common.properties, stream, at)
        self.changed[common.task.id] = reread(self.state, common.task, stream, made)
        return made

    def _filter(self, name: str, need: Properties, stream: StreamId, at: PeerName) -> StreamId:
        known = self.state.streams[stream]
        if self.subscription.need is not None or self.state.network[at].kind == "subnet":
            name = crossing_name(need)
            made = self.state.streams.get(name)
            if made is not None and made.at == at and is_same(made.properties, need):
                return name
        units = work_of(self.state, "filter", need, stream)
        estimate = replace(of_filter(need, self.state.published[need.source]), work=units)
        text = filter_text(need, Input(stream, known.properties), self.state.published)
        language = "xquery" if need.format == "xml" else "cql"
        return self._add(name, at, language, text, (stream,), need, estimate, "filter")

    def _compute(self, choice: Choice, inputs: dict[StreamId, StreamId]) -> StreamId:
        role, at = self.parts.outline.role, choice.route[0]
        units = sum(work_of(self.state, role, need, inputs[need.source]) for need in self.parts.needs)
        text = self._text(self.parts.result, inputs)
        filtered = any(self._is_same(inputs[need.source], need) for need in self.parts.needs)
        name = f"{self.name}-trans" if filtered and role == "transform" else self.name
        estimate = replace(choice.result, work=units)
        return self._add(
            name, at, self.subscription.language, text, tuple(inputs.values()), self.parts.result, estimate,
            role, self.parts.documents,
        )  # fmt: skip

    def _add(
        self, name: str, at: PeerName, language: str, text: str, inputs: tuple[StreamId, ...],
        properties: Properties, estimate: Estimate, needs: str, documents: tuple[StreamId, ...] = (),
    ) -> StreamId:  # fmt: skip
        name = self.state.unused(name)
        task = Task(name, at, language, text, inputs, name, properties, estimate, needs, documents)  # type: ignore[arg-type]
        self.state.add(task)
        self.tasks[name] = task
        return name

    def _send(self, stream: StreamId, route: tuple[PeerName, ...]) -> None:
        if len(route) > 1:
            self.state.extend(stream, route)
            self.flows.append(Flow(stream, route))

    def _text(self, result: Properties, inputs: dict[StreamId, StreamId]) -> str:
        streams = {
            source: Input(name, self.state.streams[name].properties) for source, name in inputs.items()
        }
        return rest_text(result, streams, self.state.published)

    def _is_same(self, stream: StreamId, need: Properties) -> bool:
        return is_same(self.state.streams[stream].properties, need)


def reread(state: State, task: Task, old: StreamId, new: StreamId) -> Task:
    """Let a task of one input read another stream that contains what it needs; its output is the same."""
    known = state.streams[new]
    changed = rewritten(state, task, Input(new, known.properties), known.estimate.items_per_second)
    state.change(replace(changed, inputs=tuple(new if name == old else name for name in task.inputs)))
    return state.tasks[task.id]


def rewritten(state: State, task: Task, stream: Input, items: float) -> Task:
    """The task over a stream with so many items a second that contains what it needs."""
    need = replace(task.properties, computed="")
    if task.properties.computed:
        text = rest_text(task.properties, {need.source: stream}, state.published)
    else:
        text = filter_text(need, stream, state.published)
    units = _work(state, task.needs, need, stream.properties, items)
    return replace(task, text=text, estimate=replace(task.estimate, work=units))


def without_detour(state: State, stream: StreamId) -> None:
    """Compute a stream that only one task reads, where it is made, as a part of that task."""
    made, known = state.tasks.get(stream), state.streams.get(stream)
    if made is None or known is None or made.needs != "filter" or known.children.get(made.at):
        return
    users = known.users.get(made.at, set())
    if len(users) != 1 or len(known.users) != 1:
        return
    reader = state.tasks.get(next(iter(users)))
    if reader is not None and len(reader.inputs) == 1:
        reread(state, reader, stream, made.inputs[0])


def work_of(state: State, role: str, need: Properties, stream: StreamId) -> float:
    """The work of a part over a stream that contains what it needs."""
    known = state.streams[stream]
    return _work(state, role, need, known.properties, known.estimate.items_per_second)


def _work(state: State, role: str, need: Properties, stream: Properties, items: float) -> float:
    left = checks(remaining(need, stream))
    if role == "filter":
        return work(role, items, left)
    return work_over(role, items, left, of_filter(need, state.published[need.source]).items_per_second)


def common_name(task: Task) -> str:
    """The name of a part that a task has in common with another."""
    return f"{_PART.sub('', task.id)}-common"
