"""Where answers go: relations as changes and streams, printed or written."""
