"""Physical plans: how a query is computed, described without Spark and without data."""
