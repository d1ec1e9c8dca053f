"""Text -> syntax tree; knows no algebra."""
