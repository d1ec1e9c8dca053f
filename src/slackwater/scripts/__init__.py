"""Scripts of the STREAM prototype, and their data files."""
