"""GROUP BY: its keys, ALL, and grouping sets."""
