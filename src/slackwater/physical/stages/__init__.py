"""Stages: a graph cut into runs of steps that can work on one partitioning of their elements."""
