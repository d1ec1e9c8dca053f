"""Structs, arrays, maps and JSON: fields by their paths, constructors, and types in constants."""
