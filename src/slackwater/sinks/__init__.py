"""Sinks: relations as changes and streams, printed or written."""
