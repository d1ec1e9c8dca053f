"""DROP and CREATE OR REPLACE: declarations leave the catalog unless something uses them."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra import Operator, Relation, Stream
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.catalog import Catalog, View
from slackwater.bind.catalogs import problems
from slackwater.bind.synchronization.problems import NOT_A_VIEW, VIEW_IN_USE
from slackwater.bind.user_functions.problems import DUPLICATE_FUNCTION
from slackwater.language.cql import nodes

Declaration = (
    nodes.CreateSource | nodes.CreateTagged | nodes.CreateView | nodes.CreateSink | nodes.CreateFunction
)
_WORDS: dict[type[exp.Expression], str] = {
    nodes.CreateTagged: "stream",
    nodes.CreateView: "view",
    nodes.CreateSink: "sink",
    nodes.CreateFunction: "function",
}
_A_QUERY = "a query of this text"


def sources_of(plan: Operator) -> frozenset[str]:
    """The names of the streams and relations that a plan reads, in lower case."""
    return frozenset(leaf.name.lower() for leaf in plan.walk() if isinstance(leaf, Stream | Relation))


def drop(node: nodes.Drop, binding: Binding) -> None:
    """DROP, unless something uses what is dropped."""
    catalog, kind, name, span = binding.catalog, node.kind, node.this.name, binding.span(node.this)
    actual = _kind(kind, name, catalog)
    if actual is None:
        if not node.args.get("exists"):
            binding.report(_unknown(kind, name, catalog, span))
    elif actual != kind and not (kind == "view" and isinstance(catalog.get(name), View)):
        wrong = problems.WRONG_KIND.at(span, name=name, actual=actual, kind=kind, word=actual.upper())
        binding.report(NOT_A_VIEW.at(span, name=name, word=actual.upper()) if kind == "view" else wrong)
    elif users := users_of(kind, name, binding):
        binding.report(in_use(kind, name, users, span, "dropped"))
    else:
        _remove(kind, name, catalog)


def is_known(node: exp.Expression, catalog: Catalog) -> bool:
    """Whether it is a declaration with IF NOT EXISTS of something that is there, and of that kind."""
    if not isinstance(node, Declaration) or not node.args.get("exists"):
        return False
    kind = node.kind if isinstance(node, nodes.CreateSource) else _WORDS[type(node)]
    return _kind(kind, node.this.name, catalog) == kind


def make_room(node: Declaration, kind: str, binding: Binding, *, may_be_used: bool = False) -> bool:
    """Whether the name of a declaration is free, or made free by OR REPLACE; if not, that is reported."""
    catalog, name, span = binding.catalog, node.this.name, binding.span(node.this)
    actual = _kind(kind, name, catalog)
    if actual is None:
        return True
    if not node.args.get("replace"):
        binding.report(errors.duplicate_source(name, span))
        return False
    if actual != kind:
        binding.report(problems.NOT_REPLACED.at(span, name=name, actual=actual, word=actual.upper()))
        return False
    if not may_be_used and (users := users_of(kind, name, binding)):
        binding.report(in_use(kind, name, users, span, "replaced"))
        return False
    _remove(kind, name, catalog)
    return True


def replace_function(node: nodes.CreateFunction, binding: Binding) -> None:
    """Make the name of a function free for another one, if that may replace it."""
    name, span = node.this.name, binding.span(node.this)
    if not node.args.get("replace"):
        binding.report(DUPLICATE_FUNCTION.at(span, name=name))
    elif users := users_of("function", name, binding):
        binding.report(in_use("function", name, users, span, "replaced"))
    else:
        _remove("function", name, binding.catalog)


def users_of(kind: str, name: str, binding: Binding) -> str:
    """What uses a declaration, in words: views, sinks and, of a source, queries of the same text."""
    names = binding.catalog.users(f"{name}()" if kind == "function" else name)
    is_read = kind in ("stream", "relation") and any(name.lower() in read for read in binding.earlier)
    return " and ".join([*([quoted(names)] if names else []), *([_A_QUERY] if is_read else [])])


def in_use(kind: str, name: str, users: str, span: Span, done: str) -> Diagnostic:
    """What is used by others and cannot be dropped or replaced."""
    if kind == "view" and done == "dropped":
        return VIEW_IN_USE.at(span, name=name, users=users)
    return problems.IN_USE.at(span, kind=kind, name=name, users=users, done=done)


def _kind(kind: str, name: str, catalog: Catalog) -> str | None:
    """What has the name among functions, or among all other declarations."""
    if kind == "function":
        return "function" if name.lower() in catalog.functions else None
    return catalog.kind_of(name)


def _remove(kind: str, name: str, catalog: Catalog) -> None:
    if kind == "function":
        del catalog.functions[name.lower()]
    elif kind == "sink":
        del catalog.sinks[name.lower()]
    else:
        catalog.drop(name)


def _unknown(kind: str, name: str, catalog: Catalog, span: Span) -> Diagnostic:
    known = names_of(f"{kind}s", catalog)
    near = did_you_mean(name, known)
    detail = None if known else f"No {kind} is declared."
    return problems.NOT_DECLARED.at(span, kind=kind, name=name, known=quoted(known), detail=detail, hint=near)


def names_of(kinds: str, catalog: Catalog) -> list[str]:
    """The names of all streams, relations, views, sinks, functions or, as tables, of what can be read."""
    if kinds == "sinks":
        return [sink.name for sink in catalog.sinks.values()]
    if kinds == "functions":
        return [function.name for function in catalog.functions.values()]
    return [name for name in catalog.names if kinds in ("tables", f"{catalog.kind_of(name)}s")]
