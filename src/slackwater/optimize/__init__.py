"""From a plan to an equal, cheaper plan: laws, one function each, and the order they are tried in."""

from slackwater.base.rules import Pass, Rule, Step
from slackwater.optimize.phases import PHASES, Optimizer, optimized, steps

__all__ = ["PHASES", "Optimizer", "Pass", "Rule", "Step", "optimized", "steps"]
