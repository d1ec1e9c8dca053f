"""One Spark for the tests that start one."""

from one_spark import s, spark

__all__ = ["s", "spark"]
