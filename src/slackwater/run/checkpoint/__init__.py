"""The checkpoint of a run: its files, its owner, what was computed and what was read."""
