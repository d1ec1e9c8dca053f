"""A machine in partitions: stages in Spark's Python workers, and their states."""
