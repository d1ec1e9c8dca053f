"""Subqueries without references to the row outside: conditions become joins, values joined columns."""
