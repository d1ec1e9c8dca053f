"""XQuery: text -> syntax tree, and back."""
