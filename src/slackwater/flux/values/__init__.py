"""The values of XQuery and the functions on them, shared by the oracle and the engine."""
