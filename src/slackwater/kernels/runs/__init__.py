"""Frames in immutable runs of rows: adding, finding and expiring rows costs time for these rows only."""
