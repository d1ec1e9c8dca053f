"""Pictures of networks and plans: SVG, a page that shows it live, and the XML of figure 2.8."""

from slackwater.globe.draw.page import as_page
from slackwater.globe.draw.plan_xml import as_xml
from slackwater.globe.draw.svg import as_svg

__all__ = ["as_page", "as_svg", "as_xml"]
