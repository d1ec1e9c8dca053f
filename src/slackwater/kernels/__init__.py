"""Kernels: the operators over columns, an epoch at a time. Vectorized; no Spark, no I/O, no clock."""
