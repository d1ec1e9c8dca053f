"""Recursion: the rows that rounds of a graph make of those that there are, by changes or anew."""
