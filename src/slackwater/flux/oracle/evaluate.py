"""The reference evaluator: the value of a query over whole trees, from the definitions of XQuery.

`value(expr, context)` follows the structure of the expression: nothing is optimized, reordered or shared.
Every other evaluator has to agree with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import singledispatch

from slackwater.flux.oracle import flwor
from slackwater.flux.oracle.write import serialized
from slackwater.flux.values import arithmetic, construct, types
from slackwater.flux.values.atomic import Item, Items, at_most_one, atomized, both, integers, one_node, truth
from slackwater.flux.values.axes import filtered, stepped
from slackwater.flux.values.comparison import GENERAL_OF, compared, generally_compared
from slackwater.flux.values.context import Context, Focus, Program, declared
from slackwater.flux.values.errors import Wrong, no_value, too_deep, unknown_input, wrong_type
from slackwater.flux.values.functions import FUNCTIONS
from slackwater.flux.values.joined import joined
from slackwater.flux.values.tree import Name, Node, in_document_order, rooted
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS
from slackwater.language.xquery.markup import declares_namespace


def answer(
    module: ast.Module,
    document: Node | None = None,
    streams: Mapping[str, Node] | None = None,
    documents: Mapping[str, Node] | None = None,
    external: Mapping[str, Callable[[Items], Items]] | None = None,
    variables: Mapping[str, Items] | None = None,
) -> str:
    """The answer to a query as text; `document` is `$ROOT` and the context item."""
    program = Program(
        {function.name: function for function in module.functions},
        external or {},
        streams or {},
        documents or {},
        any(
            isinstance(declaration, ast.EmptyOrder) and declaration.greatest
            for declaration in module.declarations
        ),
        declared(module.declarations),
    )
    try:
        context = _start(module, program, document, variables or {})
        return serialized(value(module.body, context))
    except Wrong as wrong:
        raise wrong.at(module.body.span) from None
    except RecursionError:
        raise too_deep().at(module.body.span) from None


def _start(
    module: ast.Module, program: Program, document: Node | None, external: Mapping[str, Items]
) -> Context:
    variables: dict[str, Items] = {} if document is None else {"ROOT": [document]}
    focus = None if document is None else Focus(document)
    context = Context(program, variables, focus, program.namespaces)
    for declaration in module.declarations:
        if isinstance(declaration, ast.VariableDeclaration):
            if declaration.value is None and declaration.name not in external:
                raise no_value(f"${declaration.name}").at(declaration.span)
            if declaration.value is None:
                items = types.coerced(external[declaration.name], declaration.type, context)
            else:
                items = types.checked(value(declaration.value, context), declaration.type, context)
            context = context.bound(declaration.name, items)
    return replace(context, globals=context.variables)


def value(expr: ast.Expr, context: Context) -> Items:
    """The value of an expression; an error has the span of the smallest expression it arose in."""
    try:
        return _value(expr, context)
    except Wrong as wrong:
        if expr.span is None:
            raise
        raise wrong.at(expr.span) from None


@singledispatch
def _value(expr: ast.Expr, context: Context) -> Items:
    raise TypeError(f"no expression of XQuery: {expr!r}")


@_value.register(ast.String)
@_value.register(ast.Integer)
@_value.register(ast.Fixed)
@_value.register(ast.Double)
def _(expr: ast.String | ast.Integer | ast.Fixed | ast.Double, _context: Context) -> Items:
    return [expr.value]


@_value.register
def _(expr: ast.Characters, _context: Context) -> Items:
    return [rooted(Node("text", text=expr.text))]


@_value.register
def _(expr: ast.Variable, context: Context) -> Items:
    return context.variables[expr.name]


@_value.register
def _(_expr: ast.ContextItem, context: Context) -> Items:
    return [context.item()]


@_value.register
def _(_expr: ast.Root, context: Context) -> Items:
    item = context.item()
    if not isinstance(item, Node) or item.root.kind != "document":
        raise wrong_type("the context item is not in a document")
    return [item.root]


@_value.register
def _(expr: ast.Input, context: Context) -> Items:
    known = context.program.streams if expr.kind == "stream" else context.program.documents
    if expr.name not in known:
        raise unknown_input(expr.kind, expr.name)
    return [known[expr.name]]


@_value.register
def _(expr: ast.Sequence, context: Context) -> Items:
    return joined([value(part, context) for part in expr.items])


@_value.register
def _(expr: ast.Path, context: Context) -> Items:
    items = value(expr.source, context)
    for step in expr.steps:
        items = stepped(items, step, context, value)
    return items


@_value.register
def _(expr: ast.Filter, context: Context) -> Items:
    items = value(expr.source, context)
    for predicate in expr.predicates:
        items = filtered(items, predicate, context, value)
    return items


@_value.register
def _(expr: ast.Flwor, context: Context) -> Items:
    items: list[Item] = []
    for inner in flwor.tuples(expr.clauses, context, value):
        items += value(expr.result, inner)
    return items


@_value.register
def _(expr: ast.Quantified, context: Context) -> Items:
    def outcomes(index: int, inner: Context) -> Iterator[bool]:
        if index == len(expr.bindings):
            yield truth(value(expr.condition, inner))
            return
        binding = expr.bindings[index]
        for item in value(binding.source, inner):
            bound = types.checked([item], binding.type, context)
            yield from outcomes(index + 1, inner.bound(binding.variable, bound))

    return [any(outcomes(0, context)) if expr.kind == "some" else all(outcomes(0, context))]


@_value.register
def _(expr: ast.If, context: Context) -> Items:
    return value(expr.then if truth(value(expr.condition, context)) else expr.otherwise, context)


@_value.register
def _(expr: ast.Logical, context: Context) -> Items:
    left = truth(value(expr.left, context))
    if left == (expr.op == "or"):
        return [left]
    return [truth(value(expr.right, context))]


@_value.register
def _(expr: ast.Compare, context: Context) -> Items:
    left, right = value(expr.left, context), value(expr.right, context)
    if expr.op in ast.GENERAL:
        return [generally_compared(expr.op, atomized(left), atomized(right))]
    if expr.op in ast.NODE:
        return _nodes_compared(expr.op, left, right)
    if not left or not right:
        return []
    return [compared(GENERAL_OF[expr.op], *both(left, right, expr.op))]


def _nodes_compared(op: str, left: Items, right: Items) -> Items:
    one, other = one_node(left, op), one_node(right, op)
    if one is None or other is None:
        return []
    match op:
        case "is":
            return [one is other]
        case "<<":
            return [one.order < other.order]
        case _:
            return [one.order > other.order]


@_value.register
def _(expr: ast.Arithmetic, context: Context) -> Items:
    left, right = value(expr.left, context), value(expr.right, context)
    if not left or not right:
        return []
    operands = [arithmetic.operand(atom) for atom in both(left, right, expr.op)]
    return [arithmetic.calculated(expr.op, *operands)]


@_value.register
def _(expr: ast.Unary, context: Context) -> Items:
    atom = at_most_one(value(expr.operand, context), expr.op)
    if atom is None:
        return []
    number = arithmetic.operand(atom)
    return [arithmetic.negated(number) if expr.op == "-" else number]


@_value.register
def _(expr: ast.Range, context: Context) -> Items:
    ends = [_whole(value(bound, context)) for bound in (expr.left, expr.right)]
    if ends[0] is None or ends[1] is None:
        return []
    return integers(ends[0], ends[1])


def _whole(items: Items) -> int | None:
    if not items:
        return None
    number = types.coerced(items, ast.SequenceType("xs:integer"), _NOWHERE)[0]
    assert isinstance(number, int)
    return number


@_value.register
def _(expr: ast.SetOperation, context: Context) -> Items:
    left, right = _only_nodes(value(expr.left, context)), _only_nodes(value(expr.right, context))
    in_right = {id(node) for node in right}
    match expr.op:
        case "union":
            chosen = left + right
        case "intersect":
            chosen = [node for node in left if id(node) in in_right]
        case "except":
            chosen = [node for node in left if id(node) not in in_right]
    return [*in_document_order(chosen)]


def _only_nodes(items: Items) -> list[Node]:
    nodes = [item for item in items if isinstance(item, Node)]
    if len(nodes) < len(items):
        raise wrong_type("only nodes can be united, intersected or excepted")
    return nodes


@_value.register
def _(expr: ast.Typed, context: Context) -> Items:
    items = value(expr.operand, context)
    match expr.op:
        case "cast":
            return types.cast(items, expr.type)
        case "castable":
            return [types.is_castable(items, expr.type)]
        case "instance":
            return [types.is_instance(items, expr.type, context)]
        case "treat":
            return types.checked(items, expr.type, context)


@_value.register
def _(expr: ast.Call, context: Context) -> Items:
    arguments = [value(argument, context) for argument in expr.arguments]
    if expr.name in context.program.functions:
        return _called(context.program.functions[expr.name], arguments, context)
    if expr.name in CASTS:
        return types.cast(arguments[0], ast.SequenceType(expr.name, "?"))
    if expr.name in FUNCTIONS:
        return FUNCTIONS[expr.name](context, *arguments)
    return _external(expr.name, arguments, context)


def _called(function: ast.FunctionDeclaration, arguments: list[Items], context: Context) -> Items:
    variables = dict(context.globals)
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        variables[parameter.name] = types.coerced(argument, parameter.type, context)
    if function.body is None:
        return _external(function.name, arguments, context)
    inner = replace(context, variables=variables, focus=None, namespaces=context.program.namespaces)
    return types.coerced(value(function.body, inner), function.result, context)


def _external(name: str, arguments: list[Items], context: Context) -> Items:
    if name not in context.program.external:
        raise no_value(f"function {name}")
    return context.program.external[name](*arguments)


@_value.register
def _(expr: ast.Element, context: Context) -> Items:
    declared = construct.declared_namespaces(expr)
    inner = replace(context, namespaces={**context.namespaces, **declared})
    attributes = [
        Node("attribute", inner.name(attribute.name, is_element=False), _attribute_text(attribute, inner))
        for attribute in expr.attributes
        if not declares_namespace(attribute.name)
    ]
    parts = [value(part, inner) for part in expr.content]
    name = inner.name(expr.name)
    namespaces = {prefix: uri for prefix, uri in declared.items() if uri}
    return [construct.element(name, [[*attributes], *parts], namespaces)]


def _attribute_text(attribute: ast.Attribute, context: Context) -> str:
    return "".join(
        part.text if isinstance(part, ast.Characters) else construct.joined_text(value(part, context))
        for part in attribute.content
    )


@_value.register
def _(expr: ast.Comment, _context: Context) -> Items:
    return [rooted(Node("comment", text=expr.text))]


@_value.register
def _(expr: ast.ProcessingInstruction, _context: Context) -> Items:
    return [rooted(Node("processing-instruction", Name(expr.target), expr.text))]


@_value.register
def _(expr: ast.Computed, context: Context) -> Items:
    items = value(expr.content, context)
    if expr.name is not None:
        is_element = expr.kind == "element"
        name = construct.computed_name(value(expr.name, context), context, is_element)
        if is_element:
            return [construct.element(name, [items], {})]
        return [rooted(Node("attribute", name, construct.joined_text(items)))]
    if expr.kind == "document":
        return [construct.document(items)]
    if expr.kind == "text" and not items:
        return []
    if expr.kind == "comment":
        return [construct.comment(items)]
    return [rooted(Node("text", text=construct.joined_text(items)))]


_NOWHERE = Context(Program({}, {}, {}, {}), {}, None)
