"""Schemas of XML documents: content models, their automata, order and cardinality, paths."""

from slackwater.schema.automaton import TEXT, Automaton
from slackwater.schema.load import read_schema
from slackwater.schema.schema import NO_SCHEMA, Attribute, Kind, Schema, Type

__all__ = ["NO_SCHEMA", "TEXT", "Attribute", "Automaton", "Kind", "Schema", "Type", "read_schema"]
