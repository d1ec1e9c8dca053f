"""OVER on columns: the rows of each partition, in order, at each instant at which it changes."""
