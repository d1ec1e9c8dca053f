"""The columns that go with a row from Spark to the kernels. No name of a user's begins with @."""

from __future__ import annotations

SOURCE, TIME, UNTIL, PUNCTUATION, AHEAD = "@source", "@time", "@until", "@punctuation", "@ahead"
UNDECODED = "@undecoded"
