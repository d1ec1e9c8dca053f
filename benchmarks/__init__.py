"""Benchmarks: this engine beside others, on the same generated data, in one run.

data ─► contender, in a process of its own ─► measurement ─► table and JSON
"""
