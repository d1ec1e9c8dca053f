"""How peers agree and deliver: state machines without I/O, `handle(message, now)` gives effects."""
