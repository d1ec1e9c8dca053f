"""One Spark for all tests that need what only Spark can show."""

from one_spark import s, spark

__all__ = ["s", "spark"]
