"""Calls of functions, by family, that mean the same in Spark SQL: compared on random rows."""
