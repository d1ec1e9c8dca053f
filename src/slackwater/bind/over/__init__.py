"""Window functions, and the first rows of a relation: OVER, QUALIFY, ORDER BY with LIMIT, DISTINCT ON."""
