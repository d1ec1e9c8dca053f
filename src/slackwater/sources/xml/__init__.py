"""XML files as rows."""
