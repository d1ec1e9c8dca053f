"""The reason why a row does not fit its columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)  # fmt: skip

from slackwater.sources.misfits import line_of, why

SCHEMA = StructType(
    [
        StructField(name, kind)
        for name, kind in {
            "at": TimestampType(), "n": IntegerType(), "x": DoubleType(), "m": DecimalType(5, 2),
            "b": BooleanType(), "d": DateType(), "s": StringType(),
            "@raw": StringType(), "@file": StringType(),
        }.items()
    ]
)  # fmt: skip
GOOD = "2024-01-01 08:00:00,1,1.5,2.25,true,2024-02-29,text"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (GOOD, None),
        (GOOD.replace("true", "yes"), 'Column "b" is boolean, and "yes" is not.'),
        (GOOD.replace("2024-02-29", "29.2.2024"), 'Column "d" is date, and "29.2.2024" is not.'),
        (GOOD.replace("08:00:00", "8 Uhr"), 'Column "at" is timestamp, and "2024-01-01 8 Uhr" is not.'),
        (GOOD.replace(",1,", ",1.0,"), 'Column "n" is int, and "1.0" is not.'),
        (GOOD.replace(",1,", ",2147483648,"), 'Column "n" is int, and "2147483648" is not.'),
        (GOOD.replace("1.5", "1,5"), "It has 8 fields, and there are 7 columns."),
        (GOOD.replace("2.25", "much"), 'Column "m" is decimal(5,2), and "much" is not.'),
        ("1", "It has 1 field, and there are 7 columns."),
    ],
)  # fmt: skip
def test_the_cell_is_named_with_its_column_and_type(row: str, reason: str | None) -> None:
    assert why(row, "csv", SCHEMA, {}) == reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"n": 1', "It is not JSON: expecting ',' delimiter: line 1 column 8 (char 7)."),
        ('{"n": "one", "s": "x"}', 'Column "n" is int, and "one" is not.'),
        ("[1]", "It is not an object of JSON."),
    ],
)
def test_what_is_wrong_with_json_is_named(row: str, reason: str) -> None:
    assert why(row, "json", SCHEMA, {}) == reason


def test_a_record_of_xml_is_not_read_as_csv() -> None:
    assert why("<r><n>one</n></r>", "xml", SCHEMA, {}) is None


def test_open_quotes_and_other_encodings_are_named() -> None:
    assert "multiLine = TRUE" in str(why(GOOD.replace("text", '"text'), "csv", SCHEMA, {}))
    assert "not in the encoding" in str(why(GOOD.replace("text", "n\ufffdrd"), "csv", SCHEMA, {}))


def test_fields_are_separated_as_the_options_say() -> None:
    schema = StructType([StructField("a", IntegerType()), StructField("b", IntegerType())])
    assert why("1;x", "csv", schema, {"SEP": ";"}) == 'Column "b" is int, and "x" is not.'
    assert why("1|'2'", "csv", schema, {"delimiter": "|", "quote": "'"}) is None
    assert why("1||2", "csv", schema, {"sep": "||"}) is None, "not looked into"


@pytest.mark.parametrize(
    ("options", "at", "null"),
    [
        ({"timestampFormat": "dd.MM.yyyy HH:mm"}, "31.12.2024 08:00", ""),
        ({}, "2024-1-1 8:00:00", ""),
        ({}, "2024-01-01 08:00:00 Europe/Berlin", ""),
        ({}, "2024-01-01T08:00:00.123456789+01:00", ""),
        ({}, "2024-01-01", ""),
        ({"nullValue": "NA"}, "2024-01-01 08:00:00", "NA"),
    ],
)
def test_what_spark_reads_is_not_blamed(options: dict[str, str], at: str, null: str) -> None:
    row = f"{at},{null},{null},{null},{null},2024-2-3,text"
    assert why(f"{at},{null},{null},{null},yes,2024-2-3,text", "csv", SCHEMA, options) == (
        'Column "b" is boolean, and "yes" is not.'
    )
    if not options:
        assert why(row, "csv", SCHEMA, options) is None


def test_moments_of_another_format_are_named() -> None:
    reason = why(GOOD, "csv", SCHEMA, {"timestampformat": "dd.MM.yyyy"})
    assert reason == (
        'Column "at" is timestamp, and "2024-01-01 08:00:00" is not, by timestampFormat = \'dd.MM.yyyy\'.'
    )
    assert (
        why(GOOD.replace("2024-02-29", "2023-02-29"), "csv", SCHEMA, {})
        == 'Column "d" is date, and "2023-02-29" is not.'
    )


def test_a_row_is_found_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"a,b\r\n1,2\r\n3,x\r\n")
    assert line_of(str(file), "3,x") == f"{file}:3"
    assert line_of(str(file), "elsewhere") == str(file)
    file.write_bytes(b"a,b\n1,n\xf6rd\n")
    assert line_of(str(file), "1,n\ufffdrd") == f"{file}:2"
    assert line_of("nowhere.csv", "3,x") == "nowhere.csv"
