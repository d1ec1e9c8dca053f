"""WITH RECURSIVE: queries that read their own answer."""
