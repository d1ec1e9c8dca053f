"""The session: declarations, data and queries that belong together.

>>> import slackwater as sw
>>> s = sw.connect()
>>> trades = [{"ts": 1, "symbol": "A", "price": 10}, {"ts": 4, "symbol": "B", "price": 30}]
>>> s.stream("trades", trades, time="ts")
>>> print(s.query("SELECT symbol, price FROM trades [RANGE 5 SECONDS]").changes())
time | op | symbol | price
1    | +  | A      | 10
4    | +  | B      | 30
7    | -  | A      | 10
10   | -  | B      | 30
"""

from __future__ import annotations

from slackwater.session.session import Session, connect

__all__ = ["Session", "connect"]
