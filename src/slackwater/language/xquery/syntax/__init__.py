"""The syntax tree of XQuery: one small record per construct, compared without its place in the text.

    for $b in /bib/book[@year > 1991] return <t>{ $b/title }</t>

    Flwor
      For b in Path(Root, child::book of child::bib, [Compare >])
      Element t
        Path($b, child::title)

Braces, parentheses and abbreviations are not in the tree: `@a` is a step of the attribute axis, `//` a step
`descendant-or-self::node()`, `fn:count` is `count`, `if` without `else` gives the empty sequence.
Names are spelled as in the query, `prefix:local`. A window (thesis 3.8.2) belongs to its `for`.
"""

from slackwater.language.xquery.syntax.bestmatch import EXTREMES, BestMatch, Dimension
from slackwater.language.xquery.syntax.bestmatch import SETS as SET_ORDERS
from slackwater.language.xquery.syntax.constructors import (
    Attribute,
    Characters,
    Comment,
    Computed,
    Element,
    ProcessingInstruction,
)
from slackwater.language.xquery.syntax.flwor import (
    Binding,
    Clause,
    CountWindow,
    DiffWindow,
    Flwor,
    For,
    Let,
    OrderBy,
    OrderKey,
    Quantified,
    Where,
    Window,
    best_match_at,
)
from slackwater.language.xquery.syntax.module import (
    BoundarySpace,
    Declaration,
    DefaultNamespace,
    EmptyOrder,
    FunctionDeclaration,
    Module,
    NamespaceDeclaration,
    Parameter,
    VariableDeclaration,
)
from slackwater.language.xquery.syntax.nodes import Expr, Node, children, nearest_expressions, walk
from slackwater.language.xquery.syntax.operators import (
    ARITHMETIC,
    GENERAL,
    NODE,
    SETS,
    VALUE,
    Arithmetic,
    Call,
    Compare,
    Double,
    Fixed,
    If,
    Integer,
    Logical,
    Range,
    SetOperation,
    String,
    Typed,
    Unary,
)
from slackwater.language.xquery.syntax.paths import (
    DOUBLE_SLASH,
    Axis,
    ContextItem,
    ExprStep,
    Filter,
    Input,
    Kind,
    KindTest,
    NameTest,
    Path,
    Root,
    Sequence,
    SequenceType,
    Step,
    Variable,
)

__all__ = [
    "ARITHMETIC", "DOUBLE_SLASH", "EXPRESSIONS", "EXTREMES", "GENERAL", "NODE", "SETS", "SET_ORDERS",
    "VALUE", "Arithmetic", "Attribute", "Axis", "BestMatch", "Binding", "BoundarySpace", "Call",
    "Characters", "Clause", "Comment", "Compare", "Computed", "ContextItem", "CountWindow", "Declaration",
    "DefaultNamespace", "DiffWindow", "Dimension", "Double", "Element", "EmptyOrder", "Expr", "ExprStep",
    "Filter", "Fixed", "Flwor", "For", "FunctionDeclaration", "If", "Input", "Integer", "Kind", "KindTest",
    "Let", "Logical", "Module", "NameTest", "NamespaceDeclaration", "Node", "OrderBy", "OrderKey",
    "Parameter", "Path", "ProcessingInstruction", "Quantified", "Range", "Root", "Sequence", "SequenceType",
    "SetOperation", "Step", "String", "Typed", "Unary", "Variable", "VariableDeclaration", "Where",
    "Window", "best_match_at", "children", "nearest_expressions", "walk",
]  # fmt: skip

EXPRESSIONS: tuple[type[Expr], ...] = (
    String, Integer, Fixed, Double, Variable, ContextItem, Root, Input, Sequence, Path, Filter, Flwor,
    Quantified, If, Logical, Compare, Arithmetic, Unary, Range, SetOperation, Typed, Call, Characters,
    Element, Comment, ProcessingInstruction, Computed,
)  # fmt: skip
"""All classes of expressions."""
