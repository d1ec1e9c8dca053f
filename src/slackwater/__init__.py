"""Slackwater: continuous queries, exact at every instant."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("slackwater")
except PackageNotFoundError:
    __version__ = "0+unknown"

__all__ = ["__version__"]
