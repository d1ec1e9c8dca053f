"""Binding: names, types and defaults are settled here; syntax in, algebra out."""
