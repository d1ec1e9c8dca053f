"""Texts that people write: files, tables and their cells, pieces of a program."""
