"""The commands for networks of peers."""
