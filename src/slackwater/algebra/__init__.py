"""The algebra: the operators that queries are made of. Closed, and listed once."""

from slackwater.algebra.aggregates import Aggregate
from slackwater.algebra.bags import Distinct, Except, Intersect, MaxUnion, Single, StrictDifference, Union
from slackwater.algebra.bestmatch import BestMatch, Dimension
from slackwater.algebra.joins import AntiJoin, DependentJoin, Join, OuterJoin, Product, SemiJoin, Side
from slackwater.algebra.operator import Kind, Operator
from slackwater.algebra.over import Over
from slackwater.algebra.patterns import Recognize
from slackwater.algebra.recursion import Recursion
from slackwater.algebra.rows import Group, Project, Select, Unnest
from slackwater.algebra.schema import Schema
from slackwater.algebra.sources import Relation, Stream, Unit
from slackwater.algebra.streams import Dstream, Istream, Rstream
from slackwater.algebra.synchronization import Stamp, Synchronize, Ticks, When
from slackwater.algebra.windowing import Assign, Sessions
from slackwater.algebra.windows import Fixed, NestedRows, Range, Rows, Session, Sliding

OPERATORS: tuple[type[Operator], ...] = (
    Stream, Relation, Unit,
    Select, Project, Group, Unnest,
    Range, Rows, NestedRows, Sliding, Fixed, Session,
    Assign, Sessions,
    Product, Join, SemiJoin, AntiJoin, OuterJoin, BestMatch, DependentJoin,
    Distinct, Single, Union, Except, Intersect, MaxUnion, StrictDifference,
    Aggregate, Over,
    Istream, Dstream, Rstream,
    Ticks, Stamp, When, Synchronize,
    Recursion, Recognize,
)  # fmt: skip
"""Every operator there is. Tests hold each wide function against this list."""

__all__ = [
    "OPERATORS",
    "Aggregate",
    "AntiJoin",
    "Assign",
    "BestMatch",
    "DependentJoin",
    "Dimension",
    "Distinct",
    "Dstream",
    "Except",
    "Fixed",
    "Group",
    "Intersect",
    "Istream",
    "Join",
    "Kind",
    "MaxUnion",
    "NestedRows",
    "Operator",
    "OuterJoin",
    "Over",
    "Product",
    "Project",
    "Range",
    "Recognize",
    "Recursion",
    "Relation",
    "Rows",
    "Rstream",
    "Schema",
    "Select",
    "SemiJoin",
    "Session",
    "Sessions",
    "Side",
    "Single",
    "Sliding",
    "Stamp",
    "Stream",
    "StrictDifference",
    "Synchronize",
    "Ticks",
    "Union",
    "Unit",
    "Unnest",
    "When",
]
