"""Parameters: values that are passed with a text, as literals of its syntax tree; never as text."""
