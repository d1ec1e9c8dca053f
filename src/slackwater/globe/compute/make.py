"""From the records of a deployment to a task that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from slackwater.bind.catalog import Source
from slackwater.flux.records import Document
from slackwater.globe.compute.computation import Computation, Forward
from slackwater.globe.compute.operators import operator
from slackwater.globe.mobile.modules import functions_in
from slackwater.globe.model import Published, StreamId, Task


def computation(
    task: Task,
    published: Sequence[Published],
    tasks: Sequence[Task],
    documents: Mapping[StreamId, Document],
) -> Computation:
    """A task, ready to run; raises QueryError or EngineError.

    `published` and `tasks` are those that its inputs come from; `documents` are what this peer has.
    """
    match task.language:
        case "forward":
            return Forward()
        case "xquery":
            from slackwater.globe.compute.records import record_task

            functions_in(task.text, published)
            return record_task(task.text, {name: documents[name] for name in task.documents})
        case "cql":
            from slackwater.globe.compute.rows import row_task

            sources = Sources(published, tasks)
            inputs = {name: sources.of(name) for name in task.inputs}
            return row_task(task.text, inputs, functions_in(task.text, published))
        case "operator":
            functions_in(task.text, published)
            return operator(task.text)


class Sources:
    """The declarations of streams of rows: of those that are published, and of those that tasks compute."""

    def __init__(self, published: Sequence[Published], tasks: Sequence[Task]) -> None:
        self._published = {stream.id: stream for stream in published}
        self._tasks = {task.output: task for task in tasks}

    def of(self, name: StreamId) -> Source:
        from slackwater.globe.compute.rows import bound, source_of

        if name in self._published:
            return source_of(self._published[name])
        task = self._tasks[name]
        inputs = [self.of(source) for source in task.inputs]
        if task.language != "cql":
            return replace(inputs[0], plan=replace(inputs[0].plan, name=name))
        functions = functions_in(task.text, self._published.values())
        return bound(task.text, inputs, functions).as_source(name)
