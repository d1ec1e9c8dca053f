"""The checkpoint of a run: its files, its owner, its state and its input."""
