"""Row patterns: MATCH_RECOGNIZE."""
