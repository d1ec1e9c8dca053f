"""Whole inputs in, whole answers out: the reference and the kernels behind one interface."""
