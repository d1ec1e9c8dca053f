"""Texts written by users: files, tables and their cells, pieces of a program."""
