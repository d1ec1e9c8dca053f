"""Expressions over columns, a column at a time."""
