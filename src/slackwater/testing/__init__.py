"""`.cqt` files: inputs, queries and the answers expected of them; read, run and compared."""
