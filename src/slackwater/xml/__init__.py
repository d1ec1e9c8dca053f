"""XML in and out: expat with bounds, parts that no query needs taken out beforehand, text escaped."""

from slackwater.xml.events import Parser
from slackwater.xml.skip import Skipper
from slackwater.xml.source import Source, opened

__all__ = ["Parser", "Skipper", "Source", "opened"]
