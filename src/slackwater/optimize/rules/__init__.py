"""The laws, one file per kind."""
