"""Reading and writing XML: expat with limits, removal of parts that no query needs, escaping."""

from slackwater.xml.events import Parser
from slackwater.xml.skip import Skipper
from slackwater.xml.source import Source, opened

__all__ = ["Parser", "Skipper", "Source", "opened"]
