"""Functions of structs, arrays and maps, and of JSON."""
