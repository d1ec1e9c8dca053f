"""What a session declares: a text with a mistake declares nothing, so that it can be corrected."""

from __future__ import annotations

import pytest

import slackwater as sw


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "CREATE STREAM r (s STRING) TIME ts FROM 'o.csv' WITH (dealy = '5 seconds')",
            "CREATE STREAM r (s STRING) TIME ts FROM 'o.csv' WITH (delay = '5 seconds')",
        ),
        (
            "CREATE STREAM r (s STRING) TIME ts INT; CREATE VIEW v AS SELECT x FROM r [NOW]",
            "CREATE STREAM r (s STRING) TIME ts INT; CREATE VIEW v AS SELECT s FROM r [NOW]",
        ),
        ("SET CHRONON 1 MINUTE; SELECT a FROM nowhere [NOW]", "SET CHRONON 1 SECOND"),
    ],
)
def test_a_mistake_can_be_corrected(wrong: str, right: str) -> None:
    s = sw.connect()
    before = s.clock
    with pytest.raises(sw.QueryError):
        s.sql(wrong)
    assert (s.names, s.views, s.clock) == ([], [], before)
    s.sql(right)
