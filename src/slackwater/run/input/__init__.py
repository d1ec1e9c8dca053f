"""From Spark to the kernels: feeds, rows as they are fetched, and rows that cannot enter."""
