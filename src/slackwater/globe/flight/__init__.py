"""Peers as processes: Arrow Flight between them, logs on disk, tokens and TLS."""
