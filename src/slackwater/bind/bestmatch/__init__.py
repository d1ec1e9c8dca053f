"""Best-match joins, and their final answers over streams."""
