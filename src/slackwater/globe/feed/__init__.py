"""Files of rows as streams: CSV, JSON lines and Parquet become epochs of elements."""
