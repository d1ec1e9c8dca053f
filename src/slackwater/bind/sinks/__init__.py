"""Sinks that a text declares, and the queries that write to them."""
