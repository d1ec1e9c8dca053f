"""The algebra's types as Spark has them, and back."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql import types as spark

from slackwater.algebra import types
from slackwater.algebra.types import Type

_PLAIN: dict[str, type[spark.DataType]] = {
    "boolean": spark.BooleanType,
    "tinyint": spark.ByteType,
    "smallint": spark.ShortType,
    "int": spark.IntegerType,
    "bigint": spark.LongType,
    "float": spark.FloatType,
    "double": spark.DoubleType,
    "string": spark.StringType,
    "binary": spark.BinaryType,
    "date": spark.DateType,
    "timestamp": spark.TimestampType,
    "timestamp_ntz": spark.TimestampNTZType,
}
_NAMED = {kind: name for name, kind in _PLAIN.items()}
_ALSO: dict[type[spark.DataType], Type] = {
    # A float is widened when it is read: every float is a double, and sums stay exact.
    spark.FloatType: types.DOUBLE,
    spark.VarcharType: types.STRING,
    spark.CharType: types.STRING,
}


def spark_type(type_: Type) -> spark.DataType:
    """How Spark holds a column of the type."""
    if type_.name in _PLAIN:
        return _PLAIN[type_.name]()
    if type_.is_decimal:
        return spark.DecimalType(type_.precision, type_.scale)
    if type_.name == "array":
        (inner,) = (each for each in type_.arguments if isinstance(each, Type))
        return spark.ArrayType(spark_type(inner))
    fields = [each for each in type_.arguments if isinstance(each, tuple)]
    return spark.StructType([spark.StructField(name, spark_type(kind)) for name, kind in fields])


def type_of(given: spark.DataType) -> Type | None:
    """The type of a column that Spark holds so; None where we have none like it."""
    kind = type(given)
    if kind in _ALSO:
        return _ALSO[kind]
    if kind in _NAMED:
        return Type(_NAMED[kind])
    if isinstance(given, spark.DecimalType):
        return types.decimal(given.precision, given.scale)
    if isinstance(given, spark.ArrayType):
        inner = type_of(given.elementType)
        return None if inner is None else types.array(inner)
    if isinstance(given, spark.StructType):
        fields = {field.name: type_of(field.dataType) for field in given.fields}
        known = {name: type_ for name, type_ in fields.items() if type_ is not None}
        return types.struct(**known) if known and len(known) == len(fields) else None
    return None


def column(name: str) -> Column:
    """The column of that name, whatever characters it is made of."""
    return f.col(f"`{name.replace('`', '``')}`")


def nullable(kind: spark.DataType) -> spark.DataType:
    """The type with room for NULL in all its parts."""
    if isinstance(kind, spark.ArrayType):
        return spark.ArrayType(nullable(kind.elementType))
    if isinstance(kind, spark.StructType):
        fields = [spark.StructField(each.name, nullable(each.dataType)) for each in kind.fields]
        return spark.StructType(fields)
    return kind


def fits(given: Type, declared: Type) -> bool:
    """Whether every value of the one type is one of the other."""
    return given == declared or types.common(given, declared) == declared
