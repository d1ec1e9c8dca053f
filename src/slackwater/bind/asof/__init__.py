"""Binding as-of joins: with a relation as of the time of a stream's row, and with the nearest row before a time."""
