"""Kernels: what an operator does to columns in an epoch. Vectorized; no Spark, no I/O, no clock."""
