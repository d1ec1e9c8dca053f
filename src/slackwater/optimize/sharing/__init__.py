"""Queries answered from each other: normal forms, matching, covers.      SyncSQL 5"""

from slackwater.optimize.sharing.share import Rewriting, Shared, contained, shared

__all__ = ["Rewriting", "Shared", "contained", "shared"]
