"""Astronomy: the example of the thesis' chapter 2, its photons, and what observers compute with positions."""
