"""The reference evaluator: the meaning of a plan, in plain Python; slow, simple, the oracle of the tests."""
