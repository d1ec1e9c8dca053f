"""From a plan to an equal, cheaper plan: laws, one function each, and the order they are tried in."""

from slackwater.optimize.phases import PHASES, Optimizer, optimized, steps
from slackwater.optimize.rule import Pass, Rule, Step

__all__ = ["PHASES", "Optimizer", "Pass", "Rule", "Step", "optimized", "steps"]
