"""Binding as-of joins: a relation as of the time of a stream's row, the nearest row before a time."""
