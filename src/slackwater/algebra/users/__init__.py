"""Functions, aggregates, table functions and orders of users: what they are, and how they are called."""
