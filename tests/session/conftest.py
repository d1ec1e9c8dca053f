"""One Spark for all tests of the session."""

from one_spark import s, spark

__all__ = ["s", "spark"]
