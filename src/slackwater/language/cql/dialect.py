"""CQL as a dialect of sqlglot: its tokens, and how a tree is printed."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel
from sqlglot.generator import Generator
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Tokenizer

from slackwater.language.cql import nodes
from slackwater.language.cql.lateral import BUILT_IN
from slackwater.language.cql.parser import CQLParser
from slackwater.language.cql.words import KEYWORDS, PHRASES, RESERVED, SIGNS, TYPES

# Functions that sqlglot would print under names that parse to another tree.
_CALLS = (
    exp.ConvertTimezone,
    exp.CurrentDate,
    exp.DateAdd,
    exp.DateFromUnixDate,
    exp.FromISO8601Date,
    exp.FromISO8601Timestamp,
    exp.FromISO8601TimestampNanos,
    exp.If,
    exp.Initcap,
    exp.Int64,
    exp.Localtime,
    exp.Localtimestamp,
    exp.ParseDatetime,
    exp.Rand,
    exp.SafeDivide,
    exp.Space,
    exp.StrToDate,
    exp.StrToTime,
    exp.String,
    exp.ToChar,
    exp.ToDouble,
    exp.ToNumber,
    exp.TsOrDsToDate,
    exp.TsOrDsToDatetime,
    exp.TsOrDsToTime,
    exp.TsOrDsToTimestamp,
    exp.UnixDate,
    exp.UnixSeconds,
    exp.UtcDate,
    exp.UtcTime,
    exp.UtcTimestamp,
)


def _plural(unit: str, amount: str) -> str:
    return unit.upper() if amount == "1" else f"{unit.upper()}S"


def _create(node: exp.Expr, kind: str) -> str:
    """The words before the name of a declaration."""
    create = "CREATE OR REPLACE" if node.args.get("replace") else "CREATE"
    return f"{create} {kind} IF NOT EXISTS" if node.args.get("exists") else f"{create} {kind}"


class CQLGenerator(Generator):
    """Prints windows before aliases and stream operators as functions over queries."""

    SUPPORTS_BETWEEN_FLAGS = True

    def _length_sql(self, node: nodes.Length) -> str:
        amount = self.sql(node, "amount")
        return f"{amount} {_plural(node.unit, amount)}" if node.unit else amount

    def interval_sql(self, node: exp.Interval) -> str:
        if not isinstance(node.this, nodes.NamedParameter):
            return super().interval_sql(node)
        return f"INTERVAL {self.sql(node, 'this')} {self.sql(node, 'unit')}".rstrip()

    def namedparameter_sql(self, node: nodes.NamedParameter) -> str:
        return f":{node.name}"

    def streamwindow_sql(self, node: nodes.StreamWindow) -> str:
        size = self.sql(node, "size") or "UNBOUNDED"
        words = {
            "now": "NOW",
            "rows": f"ROWS {size}",
            "range": f"RANGE {size}",
            "sliding": f"SLIDING {size}",
            "fixed": f"FIXED {size}",
            "session": f"SESSION {size}",
        }[node.kind]
        columns = self.expressions(node, key="partition_by", flat=True)
        within = f" RANGE {self.sql(node, 'within')}" if node.within else ""
        slide = f" SLIDE {self.sql(node, 'slide')}" if node.slide else ""
        return f"[{f'PARTITION BY {columns} ' if columns else ''}{words}{within}{slide}]"

    def windowtable_sql(self, node: nodes.WindowTable) -> str:
        columns = self.expressions(node, key="partition_by", flat=True)
        data = f"TABLE {self.sql(node, 'this')}{f' PARTITION BY ({columns})' if columns else ''}"
        time = self.sql(node, "time")
        parameters = {"DATA": data, "TIMECOL": f"DESCRIPTOR({time})" if node.args.get("descriptor") else time}
        slide = "SLIDE" if node.kind == "hop" else "STEP"
        parameters |= {
            slide: self.sql(node, "step"),
            "SIZE": self.sql(node, "size"),
            "GAP": self.sql(node, "gap"),
        }
        parameters["OFFSET"] = self.sql(node, "offset")
        arguments = ", ".join(f"{name} => {value}" for name, value in parameters.items() if value)
        return f"{node.kind.upper()}({arguments}){self._alias_and_joins(node)}"

    def windowed_sql(self, node: nodes.Windowed) -> str:
        return f"{self.sql(node, 'this')} {self.sql(node, 'window')}{self._alias_and_joins(node)}"

    def relationof_sql(self, node: nodes.RelationOf) -> str:
        query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        return f"R({self.sql(query)}){self._alias_and_joins(node)}"

    def synchronized_sql(self, node: nodes.Synchronized) -> str:
        return f"{self.sql(node, 'this')} SYNC BY {self.sql(node, 'by')}{self._alias_and_joins(node)}"

    def plus_sql(self, node: nodes.Plus) -> str:
        return f"+{self.sql(node, 'this')}"

    def dimension_sql(self, node: nodes.Dimension) -> str:
        bound = f" {self.sql(node, 'bound')}" if node.bound is not None else ""
        return f"({self.expressions(node, flat=True)}) {self.sql(node, 'order')}{bound}"

    def bestmatchon_sql(self, node: nodes.BestMatchOn) -> str:
        condition = f" AND {self.sql(node, 'condition')}" if node.condition is not None else ""
        keep = " KEEP UNMATCHED" if node.keeps_unmatched else ""
        return f"{self.expressions(node, flat=True)}{condition}{keep}"

    def every_sql(self, node: nodes.Every) -> str:
        return " ".join(
            filter(None, (self._clause("EVERY", node, "period"), self._clause("OFFSET", node, "offset")))
        )

    def fullpoints_sql(self, node: nodes.FullPoints) -> str:
        return f"{self.sql(node, 'this')}{self.sep()}AT FULL POINTS"

    def unnested_sql(self, node: nodes.Unnested) -> str:
        is_ours = node.function in BUILT_IN
        call = f"{node.function.upper() if is_ours else node.function}({self.expressions(node, flat=True)})"
        call = call if is_ours else f"LATERAL {call}"
        ordinality = " WITH ORDINALITY" if node.ordinality else ""
        return f"{call}{ordinality}{self._alias_and_joins(node)}"

    def valuerows_sql(self, node: nodes.ValueRows) -> str:
        rows = f"VALUES {self.expressions(node, flat=True)}"
        return self.prepend_ctes(node, "".join(self.query_modifiers(node, rows)))

    def lateralquery_sql(self, node: nodes.LateralQuery) -> str:
        return f"LATERAL {self.wrap(node)}{self._alias_and_joins(node)}"

    def pivoted_sql(self, node: nodes.Pivoted) -> str:
        fields = " ".join(
            f"{self.sql(field, 'this')} IN ({self.expressions(field, flat=True)})" for field in node.fields
        )
        keys = self.expressions(node, key="keys", flat=True)
        inside = f"{self.expressions(node, flat=True)} FOR {fields}{f' GROUP BY {keys}' if keys else ''}"
        return f"{self.sql(node, 'this')} PIVOT ({inside}){self._alias_and_joins(node)}"

    def unpivoted_sql(self, node: nodes.Unpivoted) -> str:
        names = self.expressions(node, key="values", flat=True)
        values = names if len(node.values) == 1 else f"({names})"
        nulls = " INCLUDE NULLS" if node.keeps_nulls else ""
        inside = f"{values} FOR {self.sql(node, 'name')} IN ({self.expressions(node, flat=True)})"
        return f"{self.sql(node, 'this')} UNPIVOT{nulls} ({inside}){self._alias_and_joins(node)}"

    def recognized_sql(self, node: nodes.Recognized) -> str:
        partition = self.expressions(node, key="partition_by", flat=True)
        order = self.expressions(node, key="order", flat=True)
        measures = self.expressions(node, key="measures", flat=True)
        define = ", ".join(f"{d.alias} AS {self.sql(d, 'this')}" for d in node.args.get("define") or [])
        skip = node.args.get("skip")
        target = self.sql(node, "target")
        parts = [
            f"PARTITION BY {partition}" if partition else "",
            f"ORDER BY {order}" if order else "",
            f"MEASURES {measures}" if measures else "",
            f"AFTER MATCH SKIP {skip.upper()}{f' {target}' if target else ''}" if skip else "",
            f"PATTERN ({self.sql(node, 'pattern')})",
            self._clause("WITHIN", node, "within"),
            f"DEFINE {define}" if define else "",
        ]
        inside = " ".join(filter(None, parts))
        return f"{self.sql(node, 'this')} MATCH_RECOGNIZE ({inside}){self._alias_and_joins(node)}"

    def _alias_and_joins(self, node: exp.Expr) -> str:
        alias = self.sql(node, "alias")
        joins = self.expressions(node, key="joins", sep="", flat=True)
        return f"{f' AS {alias}' if alias else ''}{joins}"

    def streamof_sql(self, node: nodes.StreamOf) -> str:
        return f"{node.kind.upper()}{self.wrap(node)}"

    def set_operation(self, node: exp.SetOperation) -> str:
        if isinstance(node, nodes.MaxUnion):
            return "UNION MAX"
        return "EXCEPT STRICT" if isinstance(node, nodes.StrictExcept) else super().set_operation(node)

    def setoperation_sql(self, node: exp.SetOperation) -> str:
        return self.set_operations(node)

    def createsource_sql(self, node: nodes.CreateSource) -> str:
        columns = self.expressions(node, key="columns", flat=True)
        key = self.expressions(node, key="key", flat=True)
        options = self.expressions(node, key="options", flat=True)
        clauses = [
            f"{_create(node, node.kind.upper())} {self.sql(node, 'this')}"
            + (f" ({columns})" if columns else ""),
            f"KEY ({key})" if key else "",
            self._clause("TIME", node, "time", "time_type"),
            self._clause("OP", node, "op"),
            "APPEND ONLY" if node.args.get("append_only") else "",
            self._clause("FROM", node, "location"),
            self._clause("FORMAT", node, "format"),
            self._clause("RECORD", node, "record"),
            f"WITH ({options})" if options else "",
        ]
        return self.sep().join(filter(None, clauses))

    def _clause(self, word: str, node: exp.Expr, *keys: str) -> str:
        parts = [part for part in (self.sql(node, key) for key in keys) if part]
        return " ".join([word, *parts]) if parts else ""

    def createview_sql(self, node: nodes.CreateView) -> str:
        columns = self.expressions(node, key="columns", flat=True)
        kind = f"{node.output.upper()} VIEW" if node.output else "VIEW"
        head = f"{_create(node, kind)} {self.sql(node, 'this')}{f' ({columns})' if columns else ''} AS"
        return f"{head}{self.sep()}{self.sql(node, 'query')}"

    def createsink_sql(self, node: nodes.CreateSink) -> str:
        columns = self.expressions(node, key="columns", flat=True)
        key = self.expressions(node, key="key", flat=True)
        options = self.expressions(node, key="options", flat=True)
        head = f"{_create(node, 'SINK')} {self.sql(node, 'this')}"
        clauses = [
            f"{head} ({columns})" if columns else f"{head} AS{self.sep()}{self.sql(node, 'query')}",
            self._clause("INTO", node, "location"),
            self._clause("FORMAT", node, "format"),
            self._clause("MODE", node, "mode"),
            f"KEY ({key})" if key else "",
            f"WITH ({options})" if options else "",
        ]
        return self.sep().join(filter(None, clauses))

    def createfunction_sql(self, node: nodes.CreateFunction) -> str:
        columns = self.expressions(node, key="columns", flat=True)
        options = self.expressions(node, key="options", flat=True)
        table = self.expressions(node, key="table", flat=True)
        returns = f"TABLE ({table})" if node.table is not None else self.sql(node, "returns")
        word = "AGGREGATE FUNCTION" if node.is_aggregate else "FUNCTION"
        clauses = [
            f"{_create(node, word)} {self.sql(node, 'this')} ({columns}) RETURNS {returns}",
            self._clause("LANGUAGE PYTHON AS", node, "path"),
            f"WITH ({options})" if options else "",
        ]
        return self.sep().join(filter(None, clauses))

    def insertinto_sql(self, node: nodes.InsertInto) -> str:
        return f"INSERT INTO {self.sql(node, 'this')}{self.sep()}{self.sql(node, 'query')}"

    def createtagged_sql(self, node: nodes.CreateTagged) -> str:
        key = self.expressions(node, key="key", flat=True)
        head = f"{_create(node, 'STREAM')} {self.sql(node, 'this')} OVER {self.sql(node, 'source')}"
        return f"{head} KEY {f'({key})' if key else 'NULL'}"

    def drop_sql(self, node: Any) -> str:
        exists = " IF EXISTS" if node.args.get("exists") else ""
        return f"DROP {node.kind.upper()}{exists} {self.sql(node, 'this')}"

    def show_sql(self, node: Any) -> str:
        return f"SHOW {node.kind.upper()}"

    def describe_sql(self, node: Any) -> str:
        return f"DESCRIBE {self.sql(node, 'this')}"

    def setchronon_sql(self, node: nodes.SetChronon) -> str:
        return f"SET CHRONON {self.sql(node, 'length')}"

    def trim_sql(self, node: exp.Trim) -> str:
        if node.args.get("position") != "BOTH":
            return super().trim_sql(node)
        return f"TRIM(BOTH {self.sql(node, 'expression')} FROM {self.sql(node, 'this')})"

    def intdiv_sql(self, node: exp.IntDiv) -> str:
        return self.binary(node, "DIV")

    def _call_sql(self, node: exp.Func) -> str:
        return self.function_fallback_sql(node)

    # sqlglot finds a method by its name only for the nodes it defines itself.
    TRANSFORMS: ClassVar = {
        **Generator.TRANSFORMS,
        **dict.fromkeys(_CALLS, _call_sql),
        nodes.Length: _length_sql,
        nodes.NamedParameter: namedparameter_sql,
        nodes.StreamWindow: streamwindow_sql,
        nodes.Windowed: windowed_sql,
        nodes.WindowTable: windowtable_sql,
        nodes.RelationOf: relationof_sql,
        nodes.Synchronized: synchronized_sql,
        nodes.Plus: plus_sql,
        nodes.Dimension: dimension_sql,
        nodes.BestMatchOn: bestmatchon_sql,
        nodes.Unnested: unnested_sql,
        nodes.LateralQuery: lateralquery_sql,
        nodes.ValueRows: valuerows_sql,
        nodes.Recognized: recognized_sql,
        nodes.Pivoted: pivoted_sql,
        nodes.Unpivoted: unpivoted_sql,
        nodes.Every: every_sql,
        nodes.FullPoints: fullpoints_sql,
        nodes.StreamOf: streamof_sql,
        nodes.MaxUnion: setoperation_sql,
        nodes.StrictExcept: setoperation_sql,
        nodes.CreateSource: createsource_sql,
        nodes.CreateTagged: createtagged_sql,
        nodes.CreateView: createview_sql,
        nodes.CreateSink: createsink_sql,
        nodes.CreateFunction: createfunction_sql,
        nodes.InsertInto: insertinto_sql,
        nodes.Drop: drop_sql,
        nodes.Show: show_sql,
        nodes.Describe: describe_sql,
        nodes.SetChronon: setchronon_sql,
    }


class CQLTokenizer(Tokenizer):
    """Few words are reserved; there are no commands and no hints."""

    IDENTIFIERS: ClassVar = ['"', "`"]
    NESTED_COMMENTS: ClassVar = True
    COMMANDS: ClassVar[set[TokenType]] = set()
    KEYWORDS: ClassVar = {
        **{word: Tokenizer.KEYWORDS[word] for word in (*RESERVED, *KEYWORDS, *PHRASES, *TYPES, *SIGNS)},
        "MINUS": TokenType.EXCEPT,
        "GROUPBY": TokenType.GROUP_BY,
        "∪": TokenType.UNION,
        "∩": TokenType.INTERSECT,
        "≤": TokenType.LTE,
        "≥": TokenType.GTE,
        "≠": TokenType.NEQ,
    }


# sqlglot adds Jinja's comments to every dialect.
CQLTokenizer._COMMENTS.pop("{#", None)


class CQL(Dialect):
    """Continuous queries over streams and relations (Arasu, Babu, Widom)."""

    SUPPORTS_USER_DEFINED_TYPES = False
    NUMBERS_CAN_BE_UNDERSCORE_SEPARATED = True
    SUPPORTS_LIMIT_ALL = True

    Tokenizer = CQLTokenizer
    Parser = CQLParser
    Generator = CQLGenerator


def to_sql(node: exp.Expr, pretty: bool = False) -> str:
    """The tree as text that parses to the same tree."""
    options: dict[str, Any] = {"pretty": pretty, "comments": False, "unsupported_level": ErrorLevel.IGNORE}
    return CQL().generate(node, **options)
