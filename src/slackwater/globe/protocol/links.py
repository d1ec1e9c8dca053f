"""A stream on its way to a neighbour: sent within a window, again after a timeout, until acknowledged.

acked          sent
  │ e4 e5 e6 e7 │ e8 …        e4 to e7 may be lost: after a timeout they are sent again
  └── window ───┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from slackwater.globe.protocol.messages import Epoch
from slackwater.globe.protocol.store import Log, cost


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in bytes."""

    window: int = 1 << 20
    """What may be sent without being acknowledged."""
    log: int = 8 << 20
    """What a stream may take here before its sender has to wait."""
    message: int = 1 << 19
    """About the most in one message."""
    resend: float = 1.0
    resume: float = 3.0
    """How often a receiver says where it is, if nothing comes."""
    snapshot: int = 16
    """Epochs between two snapshots of a task."""


@dataclass(slots=True)
class Outgoing:
    """What one neighbour has of a stream, as far as is known here."""

    acked: int
    room: int
    sent: int = field(init=False)
    since: float = 0.0
    """When it was last acknowledged, or begun to be sent."""
    _pending: list[tuple[int, int]] = field(init=False, default_factory=list)
    """Edge and size of what is sent and not acknowledged."""

    def __post_init__(self) -> None:
        self.sent = self.acked

    def restart(self, after: int) -> None:
        """The receiver is at another position."""
        self.acked = self.sent = after
        self._pending.clear()

    def acknowledge(self, position: int, room: int, now: float) -> None:
        """What the receiver has committed; older news, and news of the future, is dropped."""
        self.room = room
        if self.acked < position <= self.sent:
            self.acked, self.since = position, now
            self._pending = [(edge, size) for edge, size in self._pending if edge > position]

    def next(self, log: Log, limits: Limits, now: float) -> tuple[int, Sequence[Epoch]] | None:
        """What to send now, and the edge that it follows."""
        if self._pending and now - self.since >= limits.resend:
            self.restart(self.acked)
            self.since = now
        if not log.low <= self.sent < log.position:
            return None
        unacked = sum(size for _, size in self._pending)
        budget = min(limits.window, self.room) - unacked
        # A receiver without room gets one epoch now and then: its answer says whether that has changed.
        if budget <= 0 and (unacked or now - self.since < limits.resend):
            return None
        epochs = log.after(self.sent, min(max(budget, 0), limits.message))
        if unacked and sum(map(cost, epochs)) > budget:
            return None
        after, self.sent = self.sent, epochs[-1].edge
        self.since = self.since if self._pending else now
        self._pending += [(epoch.edge, cost(epoch)) for epoch in epochs]
        return after, epochs
