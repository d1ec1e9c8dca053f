"""The types of the algebra as types of Spark, and back."""

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
BITS: dict[type[spark.DataType], int] = {
    spark.ByteType: 8,
    spark.ShortType: 16,
    spark.IntegerType: 32,
    spark.LongType: 64,
}
"""The bits of the types of whole numbers."""
_NAMED = {kind: name for name, kind in _PLAIN.items()}
_ALSO: dict[type[spark.DataType], Type] = {
    # A float is widened when it is read: every float is a double, and sums stay exact.
    spark.FloatType: types.DOUBLE,
    spark.VarcharType: types.STRING,
    spark.CharType: types.STRING,
}


def spark_type(type_: Type) -> spark.DataType:
    """The Spark type of a column."""
    if type_.name in _PLAIN:
        return _PLAIN[type_.name]()
    if type_.is_decimal:
        return spark.DecimalType(type_.precision, type_.scale)
    if type_.name == "array":
        (inner,) = (argument for argument in type_.arguments if isinstance(argument, Type))
        return spark.ArrayType(spark_type(inner))
    if type_.name == "map":
        key, value = (argument for argument in type_.arguments if isinstance(argument, Type))
        return spark.MapType(spark_type(key), spark_type(value))
    fields = [argument for argument in type_.arguments if isinstance(argument, tuple)]
    return spark.StructType([spark.StructField(name, spark_type(kind)) for name, kind in fields])


def type_of(data_type: spark.DataType) -> Type | None:
    """The type of a Spark column; None where the algebra has none for it."""
    kind = type(data_type)
    if kind in _ALSO:
        return _ALSO[kind]
    if kind in _NAMED:
        return Type(_NAMED[kind])
    if isinstance(data_type, spark.DecimalType):
        return types.decimal(data_type.precision, data_type.scale)
    if isinstance(data_type, spark.ArrayType):
        inner = type_of(data_type.elementType)
        return None if inner is None else types.array(inner)
    if isinstance(data_type, spark.MapType):
        key, value = type_of(data_type.keyType), type_of(data_type.valueType)
        return types.map_of(key, value) if key and value else None
    if isinstance(data_type, spark.StructType):
        fields = {field.name: type_of(field.dataType) for field in data_type.fields}
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
    if isinstance(kind, spark.MapType):
        return spark.MapType(nullable(kind.keyType), nullable(kind.valueType))
    if isinstance(kind, spark.StructType):
        fields = [spark.StructField(field.name, nullable(field.dataType)) for field in kind.fields]
        return spark.StructType(fields)
    return kind


def fits(actual: Type, declared: Type) -> bool:
    """Whether every value of the one type is one of the other."""
    return actual == declared or types.common(actual, declared) == declared
