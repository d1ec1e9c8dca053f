"""Contenders: one module each, run in a process and perhaps a virtual environment of its own."""
