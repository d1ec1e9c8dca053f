"""Pictures of networks and plans: SVG, and the XML of figure 2.8."""

from slackwater.globe.draw.plan_xml import as_xml
from slackwater.globe.draw.svg import as_svg

__all__ = ["as_svg", "as_xml"]
