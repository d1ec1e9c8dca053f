"""Deployments of subscriptions: which peer computes what, and what flows where."""

from slackwater.globe.plan.cost import Weights
from slackwater.globe.plan.difference import Change, difference
from slackwater.globe.plan.explanation import Alternative, Explanation
from slackwater.globe.plan.planner import Planner, register, reoptimize, unregister, without_peer

__all__ = [
    "Alternative", "Change", "Explanation", "Planner", "Weights", "difference", "register", "reoptimize",
    "unregister", "without_peer",
]  # fmt: skip
