"""The cost of continuous queries, estimated: rates, elements alive, state, work, and bytes exchanged."""
