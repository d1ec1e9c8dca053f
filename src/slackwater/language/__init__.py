"""Text -> syntax tree; independent of the algebra."""
